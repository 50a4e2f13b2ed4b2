-- Archive locations of the given entries (their owning occurrences) and of the given enqueue operations.
-- params:  entries (JSON array of entry keys), queued (JSON array of occurrences of enqueue operations)
-- columns: entry, queued (one of the two is NULL), source, generation, offset, length
select e.id as entry, null as queued, e.source, e.generation, e.offset, e.length
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
union all
select null, o.id, o.source, o.generation, o.offset, o.length
from json_each(:queued) j
cross join occurrences o on o.id = j.value
