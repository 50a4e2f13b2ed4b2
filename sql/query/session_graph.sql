-- The entries that a session owns, with their effective parents, by time.
-- params:  session_id
-- columns: entry, parent (NULL: none), thread, is_agent (1: in a subagent's thread), line (NULL: set aside),
-- columns: is_active (1: on an active line), is_talk
select
    e.id as entry,
    p.effective_parent,
    p.thread,
    t.agent_id is not null as is_agent,
    p.line,
    coalesce(l.is_active, 0) as is_active,
    e.kind in ('assistant', 'result') or (e.kind = 'prompt' and e.is_command = 0) as is_talk
from session_ids i
cross join owned_entries e on e.session = i.id
join sources s on s.id = e.source
join placements p on p.entry = e.id
join threads t on t.id = p.thread
left join lines l on l.id = p.line
where i.session_id = :session_id
order by e.timestamp_ms, s.path, e.generation, e.offset
