-- Number, outcome and cost of subagents per agent type, highest cost first.
-- group: Cost and usage
select
    name,
    count(*) as agents,
    count(*) filter (where status = 'completed') as completed,
    count(*) filter (where status in ('failed', 'interrupted')) as not_completed,
    sum(responses) as responses,
    round(avg(duration_ms) / 60000, 1) as mean_minutes,
    round(sum(est_cost_usd), 2) as usd,
    round(max(est_cost_usd), 2) as max_usd
from v1_agents
group by name
order by sum(est_cost_usd) desc, name
limit 20
