-- The entries that are parts of the given responses, in time order (rule: response_identity).
-- params:  responses (JSON, encoded ids)
-- columns: response_id, then the fields of facts.responses.ResponseFragment
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:responses)
)
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
from requested w
cross join messages m on m.response_id = w.id
join owned_entries e on e.id = m.entry
join sources s on s.id = e.source
order by m.response_id, e.timestamp_ms, s.path, e.generation, e.offset
