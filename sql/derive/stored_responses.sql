-- The stored rows of the given responses.
-- params:  responses (JSON, encoded ids)
-- columns: the columns of responses
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:responses)
)
select
    r.response_id,
    r.entry,
    r.session,
    r.timestamp_ms,
    r.model,
    r.entry_count,
    r.input_tokens,
    r.output_tokens,
    r.cache_creation_5m_tokens,
    r.cache_creation_1h_tokens,
    r.cache_read_tokens,
    r.is_final,
    r.cost_nanousd,
    r.parent
from requested w
cross join responses r on r.response_id = w.id
