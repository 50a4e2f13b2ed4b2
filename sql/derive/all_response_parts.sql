-- The entries that are parts of responses, in time order; see `response_parts`.
-- columns: response_id, then the fields of facts.responses.ResponseFragment
select
    m.response_id,
    e.id,
    e.session,
    e.timestamp_ms,
    e.is_sidechain,
    m.model,
    m.stop_reason,
    m.input_tokens,
    m.output_tokens,
    m.cache_creation_tokens,
    m.cache_creation_5m_tokens,
    m.cache_creation_1h_tokens,
    m.cache_read_tokens
from messages m
cross join owned_entries e on e.id = m.entry
join sources s on s.id = e.source
where m.response_id is not null
order by m.response_id, e.timestamp_ms, s.path, e.generation, e.offset
