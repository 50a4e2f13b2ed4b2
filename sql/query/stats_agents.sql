-- Subagents by session and id, as the one who called them named them.
-- columns: session, agent_id, name
select
    a.session,
    a.agent_id,
    a.name
from agents a
