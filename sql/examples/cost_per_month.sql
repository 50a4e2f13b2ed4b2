-- Cost per month, with a running total.
-- group: Cost and usage
select
    substr(day, 1, 7) as month,
    count(distinct session_id) as sessions,
    sum(responses) as responses,
    sum(input_tokens + cache_creation_tokens + cache_read_tokens) as tokens_read,
    sum(output_tokens) as tokens_written,
    round(sum(est_cost_usd), 2) as usd,
    round(sum(sum(est_cost_usd)) over (order by substr(day, 1, 7)), 2) as usd_so_far
from v1_usage
group by month
order by month desc
limit 20
