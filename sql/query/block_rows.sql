-- Rows of v1_blocks for the given entries, unsorted because sorting long strings would need a temporary file.
-- params:  entries (JSON array of entry keys)
-- columns: entry, then all columns of v1_blocks
select e.id as entry, v.*
from json_each(:entries) j
cross join entries e on e.id = j.value
cross join v1_blocks v on v.uuid = e.uuid
