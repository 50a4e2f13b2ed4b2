create view v1_sidecars as
-- One row per sidecar or workflow run file, with its latest complete content.
select
    s.path as source_path, -- path of the file
    s.session_hint as session_id, -- session id in the folder name
    s.agent_id, -- subagent that the sidecar describes
    s.workflow_run, -- workflow run that the file belongs to
    d.agent_type, -- agent type as recorded
    d.description, -- short description of the task
    d.tool_use_id, -- id of the call that spawned the subagent
    d.payload -- content of the file as JSON
from sidecars d
join sources s on s.id = d.source
