-- The uuids of entries in temp.whose that a record names.
-- columns: uuid
select e.uuid
from temp.whose c
cross join entries e on e.id = c.entry
where exists (select 1 from records r where r.leaf = e.uuid)
