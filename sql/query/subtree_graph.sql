-- An entry and all its descendants, in any thread and session, with their effective parents, by time.
-- params:  uuid
-- columns: entry, parent (NULL: none), thread, is_agent (1: in a subagent's thread), line (NULL: set aside),
-- columns: is_active (1: on an active line), is_talk
with recursive below(entry) as (
    select e.id
    from entries e
    where e.uuid = :uuid and e.occurrence is not null
    union
    select p.entry
    from below b
    join placements p on p.effective_parent = b.entry
)
select
    e.id as entry,
    p.effective_parent,
    p.thread,
    t.agent_id is not null as is_agent,
    p.line,
    coalesce(l.is_active, 0) as is_active,
    e.kind in ('assistant', 'result') or (e.kind = 'prompt' and e.is_command = 0) as is_talk
from below b
cross join owned_entries e on e.id = b.entry
join sources s on s.id = e.source
join placements p on p.entry = e.id
join threads t on t.id = p.thread
left join lines l on l.id = p.line
order by e.timestamp_ms, s.path, e.generation, e.offset
