-- The sessions that the entries in temp.changed belong to.
-- columns: entry, session
select c.entry, e.session
from temp.changed c
cross join owned_entries e on e.id = c.entry
