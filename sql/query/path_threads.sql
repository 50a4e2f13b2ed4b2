-- The threads in which the given paths start.
-- params:  roots (JSON array of entry keys)
-- columns: root, thread_id, agent_id
select p.entry, t.thread_id, t.agent_id
from json_each(:roots) j
cross join placements p on p.entry = j.value
join lines l on l.id = p.line
join threads t on t.id = l.thread
