-- The children of an entry in one thread, by time, each with its line or the reason why it was set aside.
-- params:  uuid, thread_id
-- columns: uuid, kind, timestamp, line_id, position, reason, starts_line
select
    c.uuid,
    c.kind,
    c.timestamp,
    l.line_id,
    p.position,
    p.set_aside_reason,
    coalesce(l.kind in ('branch', 'agent_branch') and l.attachment = e.id and p.position = 0, 0) as starts_line
from entries e
join placements p on p.effective_parent = e.id
join threads t on t.id = p.thread and t.thread_id = :thread_id
join owned_entries c on c.id = p.entry
join sources s on s.id = c.source
left join lines l on l.id = p.line
where e.uuid = :uuid
order by c.timestamp_ms, s.path, c.generation, c.offset
