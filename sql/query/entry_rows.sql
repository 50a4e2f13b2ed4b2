-- Rows of v1_entries for the given entries.
-- params:  entries (JSON array of entry keys)
-- columns: entry, then all columns of v1_entries
select e.id as entry, v.*
from json_each(:entries) j
cross join entries e on e.id = j.value
cross join v1_entries v on v.uuid = e.uuid
