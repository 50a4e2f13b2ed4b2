create view v1_responses as
-- One row per API response, even if it was recorded in several entries, copies or replays.
select
    r.response_id as message_id, -- id of the API message, or the request id if there is none, or the uuid of the entry if there is neither; for an item of usage.iterations, the id of the enclosing response followed by # and the index of the item
    m.request_id, -- id of the API request
    i.session_id, -- session of its earliest entry outside sidechains, or of its earliest entry if all are in sidechains
    case when m.is_wrapped then e.named_agent_id else t.agent_id end as agent_id, -- subagent that the response belongs to; NULL for the session itself
    r.model, -- model that wrote the response
    e.timestamp, -- recorded timestamp of the entry in the uuid column
    r.entry_count, -- number of entries in which the response was recorded
    r.input_tokens, -- input tokens, excluding cache reads and writes; all token counts are from the part of the response that has the most output tokens
    r.output_tokens, -- output tokens
    r.cache_creation_5m_tokens, -- tokens cached for five minutes, including tokens without a recorded lifetime
    r.cache_creation_1h_tokens, -- tokens cached for one hour
    r.cache_read_tokens, -- tokens read from the prompt cache
    r.is_final as usage_final, -- 1 if a stop reason was recorded; 0 if the output may be longer than recorded
    r.cost_nanousd / 1e9 as est_cost_usd, -- estimated cost in US dollars at that day's list price; NULL if the model has no known price
    e.uuid, -- entry that the response is attributed to; it determines session_id
    r.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    strftime('%Y-%m-%d', r.timestamp_ms / 1000.0, 'unixepoch') as day, -- day in UTC
    x.project, -- project of the session
    m.is_wrapped, -- 1 if the entry in the uuid column is a progress entry that contains the subagent's message
    r.parent as parent_message_id -- for an item of usage.iterations by another model, such as an advisor: message_id of the enclosing response; otherwise NULL
from responses r
join entries e on e.id = r.entry
join messages m on m.entry = r.entry
join session_ids i on i.id = r.session
join sessions x on x.session = r.session
left join placements w on w.entry = r.entry
left join threads t on t.id = w.thread
