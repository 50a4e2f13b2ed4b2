-- The names of all subagents.
-- columns: session, agent_id, name
select
    a.session,
    a.agent_id,
    a.name
from agents a
