-- Responses of the given sessions, with their tokens, their cost and the columns that totals are grouped by.
-- params:  sessions (JSON)
-- columns: session, timestamp_ms, agent_id (NULL: the session's own), model, input_tokens, output_tokens,
-- columns: cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens, cost_nanousd
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
from json_each(:sessions) j
cross join responses r on r.session = j.value
left join messages m on m.entry = r.entry
left join entries e on e.id = iif(m.is_wrapped, r.entry, null)
left join placements w on w.entry = r.entry
left join threads t on t.id = w.thread
