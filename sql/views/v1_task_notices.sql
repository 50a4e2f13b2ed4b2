create view v1_task_notices as
-- One row per notice about a background task (a shell command or a subagent).
-- A notice is a notification or the answer to a status query.
select
    i.session_id, -- session that the notice belongs to
    n.task_id, -- agent_id of a subagent, or id of a shell
    n.status, -- running, completed, failed, killed, ...
    e.uuid, -- entry that contains the notice; NULL if a record contains it
    o.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    s.path as source_path, -- file that contains the notice
    o.line_no, -- line number in that file, from 1
    n.kind, -- form of the notice: task, shell (bash-notification) or agent (agent-notification)
    a.agent_id, -- subagent with this task_id; NULL if the session has no such subagent
    n.summary, -- summary as recorded
    n.result -- subagent's report
from task_notices n
left join entries e on e.id = n.entry
join occurrences o on o.id = coalesce(n.record, e.occurrence)
join session_ids i on i.id = o.session
join sources s on s.id = o.source
left join agents a on a.session = o.session and a.agent_id = n.task_id
