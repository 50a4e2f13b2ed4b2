-- The stored rows of some responses.
-- params:  responses (JSON, encoded ids)
-- columns: those of responses
with wanted(id) as materialized (
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
    r.cost,
    r.parent
from wanted w
cross join responses r on r.response_id = w.id
