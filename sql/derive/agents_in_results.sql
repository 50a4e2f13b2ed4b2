-- The agent and workflow run that the tool results of user entries name.
-- params:  entries (JSON)
-- columns: entry, agent_id, workflow_run
select t.entry, t.agent_id, t.workflow_run
from json_each(:entries) j
cross join tool_outcomes t on t.entry = j.value
where t.agent_id is not null or t.workflow_run is not null
