-- Current copies of the given entries, one per distinct content; entries whose copies are all equal are omitted.
-- params:  entries (JSON)
-- columns: entry, source, generation, offset, length
select entry, source, generation, offset, length
from (
    select
        o.entry,
        o.source,
        o.generation,
        o.offset,
        o.length,
        row_number() over (partition by o.entry, o.hash order by s.path, o.generation, o.offset) as rank,
        min(o.hash) over (partition by o.entry) <> max(o.hash) over (partition by o.entry) as differ
    from json_each(:entries) j
    cross join occurrences o on o.entry = j.value and o.is_current = 1
    join sources s on s.id = o.source
)
where rank = 1 and differ
order by entry, source, generation, offset
