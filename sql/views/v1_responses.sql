create view v1_responses as
-- One row per API response, even if several entries, copies or replays recorded it.
select
    r.response_id as message_id, -- id of the API message, else id of the request, else uuid of the entry; parent#index for an iteration
    m.request_id, -- id of the API request
    i.session_id, -- session of its earliest entry outside sidechains, else of its earliest entry
    case when m.is_wrapped then e.named_agent_id else t.agent_id end as agent_id, -- subagent that received the response; NULL for the session itself
    r.model, -- model that wrote the response
    e.timestamp, -- recorded timestamp of the entry that the uuid column names
    r.entry_count, -- number of entries that recorded the response
    r.input_tokens, -- input tokens, without cache reads and writes; all token counts are from the largest snapshot
    r.output_tokens, -- output tokens
    r.cache_creation_5m_tokens, -- tokens cached for five minutes, including those without a recorded lifetime
    r.cache_creation_1h_tokens, -- tokens cached for one hour
    r.cache_read_tokens, -- tokens read from the prompt cache
    r.is_final as usage_final, -- 1 if a stop reason was recorded; 0 if the output may be longer than recorded
    r.cost_nanousd / 1e9 as est_cost_usd, -- estimated cost in US dollars at the list price of the day; NULL if the model has no known price
    e.uuid, -- entry that the response is attributed to: the one that determines session_id
    r.timestamp_ms, -- instant in UTC milliseconds
    strftime('%Y-%m-%d', r.timestamp_ms / 1000.0, 'unixepoch') as day, -- day in UTC
    x.project, -- project of the session
    m.is_wrapped, -- 1 if the response is known from progress entries only
    r.parent as parent_message_id -- message_id of the response that this iteration is part of, if another model, such as an advisor, wrote it; else NULL
from responses r
join entries e on e.id = r.entry
join messages m on m.entry = r.entry
join session_ids i on i.id = r.session
join sessions x on x.session = r.session
left join placements w on w.entry = r.entry
left join threads t on t.id = w.thread
