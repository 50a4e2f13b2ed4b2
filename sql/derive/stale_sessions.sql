-- Sessions that the entries in temp.changed belong to, or belonged to when they were last placed.
-- columns: session
select o.session
from temp.changed c
cross join entries e on e.id = c.entry
join occurrences o on o.id = e.occurrence
union
select t.session
from temp.changed c
cross join places p on p.entry = c.entry
join threads t on t.id = p.thread
