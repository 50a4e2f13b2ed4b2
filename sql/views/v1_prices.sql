create view v1_prices as
-- One row per model, day and tier: the list prices that costs were estimated at.
with seen(model, day) as (
    select distinct coalesce(model, ''), strftime('%Y-%m-%d', timestamp_ms / 1000.0, 'unixepoch') from responses
)
select
    nullif(r.model, '') as model,
    r.day, -- in UTC
    r.above as above_input_tokens, -- for responses that read more than this
    r.input as input_usd, -- for a million tokens; NULL: no price is known
    r.output as output_usd,
    r.cache_read as cache_read_usd,
    r.cache_write_5m as cache_write_5m_usd,
    r.cache_write_1h as cache_write_1h_usd
from model_prices r
join seen s on s.model = r.model and s.day = r.day
