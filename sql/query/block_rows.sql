-- Rows of v1_blocks of some entries, in no particular order: sorting long texts takes a temporary file.
-- params:  entries (JSON array of entries)
-- columns: entry, then all columns of v1_blocks
select e.id as entry, v.*
from json_each(:entries) j
cross join entries e on e.id = j.value
cross join v1_blocks v on v.uuid = e.uuid
