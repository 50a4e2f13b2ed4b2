-- What the tool results of some user entries name: an agent, a workflow run.
-- params:  entries (JSON)
-- columns: entry, agent_id, workflow_run
select t.entry, t.agent_id, t.workflow_run
from json_each(:entries) j
cross join tool_outcomes t on t.entry = j.value
where t.agent_id is not null or t.workflow_run is not null
