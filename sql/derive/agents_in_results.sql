-- The agents and workflow runs recorded in the tool results of the given entries.
-- params:  entries (JSON)
-- columns: entry, agent_id, workflow_run
select t.entry, t.agent_id, t.workflow_run
from json_each(:entries) j
cross join tool_outcomes t on t.entry = j.value
where t.agent_id is not null or t.workflow_run is not null
