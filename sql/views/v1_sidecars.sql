create view v1_sidecars as
-- One row per sidecar or workflow run file, with the latest whole JSON it held.
select
    s.path as source_path,
    s.session_hint as session_id, -- by its folder
    s.agent_id,
    s.workflow_run,
    d.agent_type,
    d.description,
    d.tool_use_id, -- the call that spawned the agent
    d.payload -- JSON
from sidecars d
join sources s on s.id = d.source
