-- The rows of counted_responses for the given quarter hours.
-- Responses are found through the entries that they belong to.
-- params:  spans (JSON, arrays of a session, the first millisecond and the millisecond after the last)
-- columns: session, timestamp_ms, agent_id (NULL: the session's own), model, input_tokens, output_tokens,
-- columns: cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens, cost_nanousd
with spans(session, start, end) as materialized (
    select json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    from json_each(:spans)
),
messages_in_spans(response_id) as materialized (
    select distinct m.response_id
    from spans x
    cross join occurrences o on o.session = x.session and o.timestamp_ms >= x.start and o.timestamp_ms < x.end
    cross join messages m on m.entry = o.entry
    where o.is_owner = 1 and m.response_id is not null
),
-- an iteration belongs to the entry of its parent response, which can be another entry than the one that recorded it
ids(response_id) as materialized (
    select response_id from messages_in_spans
    union
    select i.response_id
    from messages_in_spans s
    cross join messages m on m.response_id = s.response_id
    cross join iterations i on i.entry = m.entry
)
select
    r.session,
    r.timestamp_ms,
    iif(m.is_wrapped, e.named_agent_id, t.agent_id) as agent_id,
    r.model,
    r.input_tokens,
    r.output_tokens,
    r.cache_creation_5m_tokens,
    r.cache_creation_1h_tokens,
    r.cache_read_tokens,
    r.cost_nanousd
from ids c
cross join responses r on r.response_id = c.response_id
join spans x on x.session = r.session and r.timestamp_ms >= x.start and r.timestamp_ms < x.end
left join messages m on m.entry = r.entry
left join entries e on e.id = iif(m.is_wrapped, r.entry, null)
left join placements w on w.entry = r.entry
left join threads t on t.id = w.thread
