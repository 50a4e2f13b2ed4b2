create view v1_usage as
-- One row per day, model, project, session and agent: what their responses took.
select
    strftime('%Y-%m-%d', r.at / 1000.0, 'unixepoch') as day, -- in UTC
    r.model,
    s.project, -- the session's
    i.session_id,
    case when m.is_wrapped then e.named_agent_id else t.agent_id end as agent_id, -- NULL: the session's own
    count(*) as responses,
    cast(total(r.input_tokens) as integer) as input_tokens,
    cast(total(r.output_tokens) as integer) as output_tokens,
    cast(total(r.cache_creation_5m_tokens) + total(r.cache_creation_1h_tokens) as integer) as cache_creation_tokens,
    cast(total(r.cache_read_tokens) as integer) as cache_read_tokens,
    case when count(r.cost) > 0 then total(r.cost) / 1e9 end as est_cost_usd, -- of the responses whose model has a price
    sum(r.cost is null) as unpriced_responses
from responses r
join entries e on e.id = r.entry
join messages m on m.entry = r.entry
join session_ids i on i.id = r.session
join sessions x on x.session = r.session
join entries f on f.id = x.first_entry
join occurrences o on o.id = f.occurrence
join sources s on s.id = o.source
left join places w on w.entry = r.entry
left join threads t on t.id = w.thread
group by 1, 2, 3, 4, 5
