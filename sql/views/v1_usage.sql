create view v1_usage as
-- One row per day, model, project, session and subagent, with the total usage of the matching API responses.
select
    strftime('%Y-%m-%d', coalesce(u.quarter_hour, 0) * 900, 'unixepoch') as day, -- day in UTC
    u.model, -- name of the model
    x.project, -- project of the session
    i.session_id, -- session that the responses belong to
    u.agent_id, -- subagent that the responses belong to; NULL for the session itself
    sum(u.responses) as responses, -- number of responses
    cast(total(u.input_tokens) as integer) as input_tokens, -- input tokens, excluding cache reads and writes
    cast(total(u.output_tokens) as integer) as output_tokens, -- output tokens
    cast(total(u.cache_creation_tokens) as integer) as cache_creation_tokens, -- tokens written to the prompt cache
    cast(total(u.cache_read_tokens) as integer) as cache_read_tokens, -- tokens read from the prompt cache
    case
        when sum(u.priced_responses) > 0 then total(u.cost_nanousd) / 1e9
    end as est_cost_usd, -- estimated cost in US dollars of the responses with a known price; NULL if there are none
    sum(u.responses - u.priced_responses) as unpriced_responses -- number of responses without a known price
from usage_totals u
join session_ids i on i.id = u.session
join sessions x on x.session = u.session
where u.responses > 0
group by 1, 2, 3, 4, 5
