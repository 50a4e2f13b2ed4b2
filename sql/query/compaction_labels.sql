-- Labels of the given compactions.
-- params:  entries (JSON array of entry keys)
-- columns: entry, label
select e.id, v.label
from json_each(:entries) j
cross join entries e on e.id = j.value
cross join v1_compactions v on v.uuid = e.uuid
