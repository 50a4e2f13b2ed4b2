create view v1_messages as
-- One row per API message that is in an assistant entry or wrapped in an agent_progress entry, with its recorded usage.
-- Usage by other models that took part, such as an advisor, is only in v1_responses.
-- A response can be split into several entries, so do not sum the rows: group by message_id and use the largest values.
select
    e.uuid, -- entry that contains the message
    m.is_wrapped, -- 1 for a subagent's message in a progress entry
    cast(iif(m.message_id = '', m.response_id, m.message_id) as text) as message_id, -- id of the API message
    m.request_id, -- id of the API request
    m.model, -- model that wrote the message
    m.stop_reason, -- reason why the model stopped
    coalesce(m.timestamp, e.timestamp) as timestamp, -- recorded timestamp of the message, or of the entry if the message has none
    m.input_tokens, -- input tokens, excluding cache reads and writes
    m.output_tokens, -- output tokens
    m.cache_creation_tokens, -- tokens written to the prompt cache
    m.cache_creation_5m_tokens, -- part of cache_creation_tokens cached for five minutes; the sum over usage.iterations if the figures in usage are missing or incomplete; NULL if not recorded
    m.cache_creation_1h_tokens, -- part of cache_creation_tokens cached for one hour, determined in the same way
    m.cache_read_tokens, -- tokens read from the prompt cache
    m.web_search_requests, -- number of web searches
    m.web_fetch_requests, -- number of web fetches
    m.service_tier -- service tier as recorded
from messages m
join owned_entries e on e.id = m.entry
