-- Subagents by name: what they cost, and how many did what they were asked.
-- group: What it took
select
    name,
    count(*) as agents,
    count(*) filter (where status = 'completed') as completed,
    count(*) filter (where status in ('failed', 'interrupted')) as broken_off,
    sum(responses) as responses,
    round(avg(duration_ms) / 60000, 1) as mean_minutes,
    round(sum(est_cost_usd), 2) as usd,
    round(max(est_cost_usd), 2) as usd_of_the_costliest
from v1_agents
group by name
order by sum(est_cost_usd) desc, name
limit 20
