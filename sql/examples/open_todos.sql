-- Open todo items, most recent sessions first.
-- group: Prompts and todos
select
    t.timestamp,
    s.project,
    coalesce(s.title, substr(s.first_prompt, 1, 60)) as session,
    t.status,
    t.content
from v1_todos t
join v1_sessions s on s.session_id = t.session_id
where t.status in ('pending', 'in_progress')
order by s.last_timestamp_ms desc, s.session_id, t.agent_id, t.idx
limit 20
