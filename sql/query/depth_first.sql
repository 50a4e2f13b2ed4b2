-- The entries of a session, depth first from its roots, these and siblings by time.
-- params:  session_id
-- columns: uuid, depth
with recursive down(entry, uuid, session, depth, timestamp_ms, path, generation, offset) as (
    select
        e.id,
        e.uuid,
        i.id,
        0 as depth,
        e.timestamp_ms as timestamp_ms,
        s.path as path,
        e.generation as generation,
        e.offset as offset
    from session_ids i
    join threads t on t.session = i.id
    join roots r on r.thread = t.id -- no parent in the session: none in the thread
    join placements p on p.entry = r.entry
    join owned_entries e on e.id = p.entry
    join sources s on s.id = e.source
    left join entries q on q.id = p.effective_parent
    left join occurrences v on v.id = q.occurrence
    where i.session_id = :session_id and (v.session is null or v.session <> i.id)
    union all
    select e.id, e.uuid, d.session, d.depth + 1, e.timestamp_ms, s.path, e.generation, e.offset
    from down d
    join placements p on p.effective_parent = d.entry
    join owned_entries e on e.id = p.entry
    join sources s on s.id = e.source
    where e.session = d.session
    order by depth desc, timestamp_ms, path, generation, offset -- all that waits at one depth has one parent, or is a root
)
select uuid, depth -- no join here: for one, SQLite 3.40 drops the order above
from down
