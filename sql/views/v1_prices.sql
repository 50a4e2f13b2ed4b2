create view v1_prices as
-- One row per model, day and price tier: the list prices used to estimate costs.
with seen(model, day) as (
    select distinct coalesce(model, ''), strftime('%Y-%m-%d', timestamp_ms / 1000.0, 'unixepoch') from responses
)
select
    nullif(r.model, '') as model, -- name of the model; NULL for responses without a model
    r.day, -- day in UTC
    r.above_input_tokens, -- lower bound of the tier, which applies to responses with more input tokens than this, including cache reads and writes
    r.input as input_usd, -- US dollars per million input tokens; NULL if no price is known
    r.output as output_usd, -- US dollars per million output tokens
    r.cache_read as cache_read_usd, -- US dollars per million tokens read from the prompt cache
    r.cache_write_5m as cache_write_5m_usd, -- US dollars per million tokens cached for five minutes
    r.cache_write_1h as cache_write_1h_usd -- US dollars per million tokens cached for one hour
from model_prices r
join seen s on s.model = r.model and s.day = r.day
