-- The entries that contain iterations, in time order; see `iteration_parts`.
-- columns: response_id, parent (the response that the iteration is part of),
-- columns: then the fields of facts.responses.ResponseFragment
select
    i.response_id,
    m.response_id,
    e.id,
    e.session,
    e.timestamp_ms,
    e.is_sidechain,
    i.model,
    m.stop_reason,
    i.input_tokens,
    i.output_tokens,
    i.cache_creation_tokens,
    i.cache_creation_5m_tokens,
    i.cache_creation_1h_tokens,
    i.cache_read_tokens
from iterations i
join messages m on m.entry = i.entry
join owned_entries e on e.id = i.entry
join sources s on s.id = e.source
order by i.response_id, e.timestamp_ms, s.path, e.generation, e.offset
