-- Subagent threads that are attached to another subagent thread: those of a session, and their ancestors.
-- Sorted by time of the root of the attached thread.
-- params:  session_id
-- columns: thread, parent_thread
with recursive up(thread) as ( -- ids only, so that `union` ends the recursion even if threads form a cycle
    select t.id
    from session_ids i
    join threads t on t.session = i.id
    where i.session_id = :session_id and t.agent_id is not null
    union
    select a.thread
    from up u
    cross join roots r on r.thread = u.thread and r.kind = 'agent'
    join placements p on p.entry = r.entry
    join placements a on a.entry = p.effective_parent
    join threads t on t.id = a.thread
    where t.agent_id is not null
)
select u.thread, a.thread as parent_thread
from up u
cross join roots r on r.thread = u.thread and r.kind = 'agent' -- cross join, so that SQLite starts from these few threads
join placements p on p.entry = r.entry
join placements a on a.entry = p.effective_parent
join threads t on t.id = a.thread
join owned_entries e on e.id = r.entry
join sources s on s.id = e.source
where t.agent_id is not null
order by e.timestamp_ms, s.path, e.generation, e.offset
