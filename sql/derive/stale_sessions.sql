-- Sessions that the entries in temp.changed belong to, as temp.whose says, or did when they were last placed.
-- columns: session
select session
from temp.whose
union
select t.session
from temp.changed c
cross join placements p on p.entry = c.entry
join threads t on t.id = p.thread
