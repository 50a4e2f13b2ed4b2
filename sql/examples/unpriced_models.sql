-- Models without a known price.
-- group: Cost and usage
-- The responses of these models are not included in any cost.
select
    model,
    sum(unpriced_responses) as responses,
    sum(output_tokens) as tokens_written,
    min(day) as first_day,
    max(day) as last_day
from v1_usage
where unpriced_responses > 0 and model is not null
group by model
order by responses desc, model
limit 20
