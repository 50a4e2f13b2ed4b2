create view v1_messages as
-- One row per API message that an assistant entry holds or an agent_progress entry wraps, usage as recorded.
-- What other models did in it, such as an advisor, is not in these tokens, but in v1_responses.
-- One response is split over several entries: do not sum these, group by message_id and take the fullest.
select
    e.uuid,
    m.is_wrapped, -- 1: a subagent's message inside a progress entry
    m.message_id,
    m.request_id,
    m.model,
    m.stop_reason,
    coalesce(m.timestamp, e.timestamp) as timestamp,
    m.input_tokens,
    m.output_tokens,
    m.cache_creation_tokens,
    m.cache_creation_5m_tokens, -- of all iterations where the total lacks the split; NULL: it was not recorded
    m.cache_creation_1h_tokens,
    m.cache_read_tokens,
    m.web_search_requests,
    m.web_fetch_requests,
    m.service_tier
from messages m
join entries e on e.id = m.entry
