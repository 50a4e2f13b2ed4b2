-- Rows of v1_blocks by entry, in order.
-- params:  entries (JSON array of entries)
-- columns: entry, then all columns of v1_blocks
select e.id as entry, v.*
from json_each(:entries) j
cross join entries e on e.id = j.value
cross join v1_blocks v on v.uuid = e.uuid
order by e.id, v.idx
