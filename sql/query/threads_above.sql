-- The agent threads that those of a session hang in, and so on upwards; threads by time of their earliest roots.
-- params:  session_id
-- columns: thread, above
with recursive up(thread) as ( -- ids alone: threads may hang in each other though no entry is below itself
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
select u.thread, a.thread as above
from up u
cross join roots r on r.thread = u.thread and r.kind = 'agent' -- cross: in this order, the few threads first
join placements p on p.entry = r.entry
join placements a on a.entry = p.effective_parent
join threads t on t.id = a.thread
join owned_entries e on e.id = r.entry
join sources s on s.id = e.source
where t.agent_id is not null
order by e.timestamp_ms, s.path, e.generation, e.offset
