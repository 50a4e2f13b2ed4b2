-- What lies below an entry, in whatever thread or session, depth first and siblings by time.
-- params:  uuid
-- columns: uuid, depth
with recursive down(entry, uuid, depth, timestamp_ms, path, generation, offset) as (
    select e.id, e.uuid, 0 as depth, 0 as timestamp_ms, '' as path, 0 as generation, 0 as offset
    from entries e
    where e.uuid = :uuid
    union all
    select e.id, e.uuid, d.depth + 1, e.timestamp_ms, s.path, e.generation, e.offset
    from down d
    join placements p on p.effective_parent = d.entry
    join owned_entries e on e.id = p.entry
    join sources s on s.id = e.source
    order by depth desc, timestamp_ms, path, generation, offset -- all that waits at one depth has one parent
)
select uuid, depth -- no join here: for one, SQLite 3.40 drops the order above
from down
where depth > 0
