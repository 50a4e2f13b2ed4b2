-- Name, task and status of every subagent in the given sessions.
-- params:  sessions (JSON array of session keys)
-- columns: session_id, agent_id, name, task (description or prompt), status, parent_agent_id
select v.session_id, v.agent_id, v.name, coalesce(v.description, v.prompt, ''), v.status, v.parent_agent_id
from v1_agents v
where v.session_id in (
    select i.session_id
    from json_each(:sessions) j
    cross join session_ids i on i.id = j.value
)
