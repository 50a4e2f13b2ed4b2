create view v1_task_notices as
-- One row per time that something told of a background task: a shell command, a subagent.
select
    i.session_id,
    n.task_id, -- of a subagent: its agent_id
    n.status, -- running, completed, failed, killed, ...
    e.uuid, -- NULL: a line without uuid told it
    o.at as timestamp_ms,
    s.path as source_path,
    o.line_no
from notices n
left join entries e on e.id = n.entry
join occurrences o on o.id = coalesce(n.record, e.occurrence)
join session_ids i on i.id = o.session
join sources s on s.id = o.source
