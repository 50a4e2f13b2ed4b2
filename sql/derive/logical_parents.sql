-- The entries that the given compact boundaries continue from, in order of preference.
-- The order is: logical parent, tail and head of the preserved segment, preserved messages from last to first.
-- params:  entries (JSON)
-- columns: entry, preference (0: the logical parent), parent
with boundaries(entry, json) as (
    select j.value, d.json
    from json_each(:entries) j
    cross join entries e on e.id = j.value
    join extra_json d on d.id = e.details
    where json_valid(d.json)
),
uuids(entry, preference, uuid) as (
    select entry, 1, json_extract(json, '$.compactMetadata.preservedSegment.tailUuid')
    from boundaries
    union all
    select entry, 2, json_extract(json, '$.compactMetadata.preservedSegment.headUuid')
    from boundaries
    union all
    select b.entry, 3 + json_array_length(b.json, '$.compactMetadata.preservedMessages.uuids') - u.key, u.value
    from boundaries b
    cross join json_each(b.json, '$.compactMetadata.preservedMessages.uuids') u
    where json_type(b.json, '$.compactMetadata.preservedMessages.uuids') = 'array'
)
select l.child, 0, l.parent
from json_each(:entries) j
cross join edges l on l.child = j.value and l.kind = 'logical'
union all
select n.entry, n.preference, e.id
from uuids n
join entries e on e.uuid = n.uuid
order by 1, 2
