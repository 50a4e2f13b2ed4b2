-- The columns that graph queries report, for the given entries, in the given order.
-- params:  entries (JSON array of entry keys)
-- columns: uuid, parent_uuid, session_id, thread_id, agent_id (of the thread), line_id, position, set_aside, is_active,
-- columns: status (of a branch that starts here), root_kind, child_count, type, subtype, kind, timestamp, timestamp_ms
select
    e.uuid,
    q.uuid as parent_uuid,
    i.session_id,
    t.thread_id,
    t.agent_id,
    l.line_id,
    p.position,
    p.set_aside_reason as set_aside,
    l.is_active,
    case
        when l.kind in ('branch', 'agent_branch') and l.attachment = p.effective_parent
            then iif(l.is_active, 'active', 'abandoned')
    end as status,
    r.kind as root_kind,
    (select count(*) from placements c where c.effective_parent = e.id) as child_count,
    e.type,
    e.subtype,
    e.kind,
    e.timestamp,
    e.timestamp_ms as timestamp_ms
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
join session_ids i on i.id = e.session
join placements p on p.entry = e.id
join threads t on t.id = p.thread
left join lines l on l.id = p.line
left join entries q on q.id = p.effective_parent
left join roots r on r.entry = e.id
order by j.key
