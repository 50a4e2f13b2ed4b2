-- The sessions that the entries in temp.changed belong to.
-- columns: entry, session
select c.entry, o.session
from temp.changed c
cross join entries e on e.id = c.entry
join occurrences o on o.id = e.occurrence
