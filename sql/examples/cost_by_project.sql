-- Cost per project and share of the total, highest first.
-- group: Cost and usage
select
    project,
    session_count as sessions,
    entry_count as entries,
    substr(last_timestamp, 1, 10) as last_used,
    round(est_cost_usd, 2) as usd,
    round(100 * est_cost_usd / sum(est_cost_usd) over (), 1) as percent
from v1_projects
order by est_cost_usd desc, project
limit 20
