create view v1_usage as
-- One row per day, model, project, session and agent: what their responses took.
select
    strftime('%Y-%m-%d', coalesce(u.quarter_hour, 0) * 900, 'unixepoch') as day, -- in UTC
    u.model,
    x.project, -- the session's
    i.session_id,
    u.agent_id, -- NULL: the session's own
    sum(u.responses) as responses,
    cast(total(u.input_tokens) as integer) as input_tokens,
    cast(total(u.output_tokens) as integer) as output_tokens,
    cast(total(u.cache_creation_tokens) as integer) as cache_creation_tokens,
    cast(total(u.cache_read_tokens) as integer) as cache_read_tokens,
    case
        when sum(u.priced) > 0 then total(u.cost_nanousd) / 1e9
    end as est_cost_usd, -- of the responses whose model has a price
    sum(u.responses - u.priced) as unpriced_responses
from usage_totals u
join session_ids i on i.id = u.session
join sessions x on x.session = u.session
where u.responses > 0
group by 1, 2, 3, 4, 5
