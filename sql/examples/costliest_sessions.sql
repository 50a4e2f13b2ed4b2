-- The most expensive sessions. The cost includes subagents.
-- group: Cost and usage
select
    substr(first_timestamp, 1, 10) as day,
    project,
    coalesce(title, substr(first_prompt, 1, 60)) as title,
    agent_count as agents,
    model_names as models,
    round(est_cost_usd, 2) as usd,
    session_id
from v1_sessions
order by est_cost_usd desc, session_id
limit 20
