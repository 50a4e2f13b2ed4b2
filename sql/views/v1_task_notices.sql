create view v1_task_notices as
-- One row per notification about a background task, or answer to a question about one: a shell command, a subagent.
select
    i.session_id,
    n.task_id, -- of a subagent: its agent_id; of a shell command: its shell id
    n.status, -- running, completed, failed, killed, ...
    e.uuid, -- NULL: a line without uuid holds it
    o.timestamp_ms,
    s.path as source_path,
    o.line_no,
    n.kind, -- the form of the notification: task, shell (bash-notification), agent (agent-notification)
    a.agent_id, -- the subagent of the session with that id; NULL: there is none
    n.summary,
    n.result -- the subagent's report
from task_notices n
left join entries e on e.id = n.entry
join occurrences o on o.id = coalesce(n.record, e.occurrence)
join session_ids i on i.id = o.session
join sources s on s.id = o.source
left join agents a on a.session = o.session and a.agent_id = n.task_id
