-- Responses of the sessions in temp.counted: what they took, with what they are counted by.
-- columns: session, timestamp_ms, agent_id (NULL: the session's own), model, tokens in, out, written to the cache for five minutes
-- columns: and for an hour, read from it; cost
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
    r.cost
from temp.counted c
cross join responses r on r.session = c.session
left join messages m on m.entry = r.entry
left join entries e on e.id = iif(m.is_wrapped, r.entry, null)
left join placements w on w.entry = r.entry
left join threads t on t.id = w.thread
