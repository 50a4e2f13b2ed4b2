-- The archive positions of the owning occurrences of some entries, and of the operations that queued some words.
-- params:  entries (JSON array of entry keys), queued (JSON array of occurrences)
-- columns: entry, queued (one of the two is NULL), source, generation, offset, length
select e.id as entry, null as queued, e.source, e.generation, e.offset, e.length
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
union all
select null, o.id, o.source, o.generation, o.offset, o.length
from json_each(:queued) j
cross join occurrences o on o.id = j.value
