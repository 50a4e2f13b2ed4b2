-- Share of input tokens read from the prompt cache, per model.
-- group: Cost and usage
select
    model,
    sum(responses) as responses,
    sum(input_tokens + cache_creation_tokens + cache_read_tokens) as tokens_read,
    round(
        100.0 * sum(cache_read_tokens)
        / nullif(sum(input_tokens + cache_creation_tokens + cache_read_tokens), 0),
        1
    ) as percent_cached,
    round(1.0 * sum(cache_read_tokens) / nullif(sum(cache_creation_tokens), 0), 1) as reads_per_write,
    sum(output_tokens) as tokens_written,
    round(sum(est_cost_usd), 2) as usd
from v1_usage
group by model
order by tokens_read desc, model
limit 20
