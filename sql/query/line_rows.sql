-- The given lines as tree nodes, by time of their first entry.
-- params:  lines (JSON array of line keys)
-- columns: number, parent, line_id, session, session_id, kind, attachment_uuid, entry_count, is_active, parent_position,
-- columns: agent_id, first_at, first_uuid, relation and parent_session_id (of a trunk's session), is_retry
select
    l.id,
    l.parent,
    l.line_id,
    t.session,
    i.session_id,
    l.kind,
    a.uuid,
    l.entry_count,
    l.is_active,
    l.parent_position,
    t.agent_id,
    (select o.timestamp_ms from owned_entries o where o.id = l.first_entry),
    e.uuid,
    x.relation,
    xp.session_id,
    l.kind in ('branch', 'agent_branch') and coalesce(k.verdict = 'retry', 0)
from json_each(:lines) j
cross join lines l on l.id = j.value
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
join placements p on p.line = l.id and p.position = 0
join owned_entries e on e.id = p.entry
join sources s on s.id = e.source
left join sessions x on x.session = t.session and l.kind = 'trunk'
left join session_ids xp on xp.id = x.parent
left join entries a on a.id = l.attachment
left join forks k on k.entry = l.attachment and k.thread = l.thread
order by e.timestamp_ms, s.path, e.generation, e.offset
