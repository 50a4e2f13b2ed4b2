create view v1_responses as
-- One row per API response, even if it was recorded in several entries, copies or replays.
select
    k.message_id, -- id of the API message, or the request id if there is none, or the uuid of the entry if there is neither; for an item of usage.iterations, the id of the enclosing response followed by # and the index of the item
    k.request_id, -- id of the API request
    k.session_id, -- session of its earliest entry outside sidechains, or of its earliest entry if all are in sidechains
    k.agent_id, -- subagent that the response belongs to; NULL for the session itself
    k.model, -- model that wrote the response
    (select o.timestamp from owned_entries o where o.id = k.entry) as timestamp, -- recorded timestamp of the entry in the uuid column
    k.entry_count, -- number of entries in which the response was recorded
    k.input_tokens, -- input tokens, excluding cache reads and writes; all token counts are from the part of the response that has the most output tokens
    k.output_tokens, -- output tokens
    k.cache_creation_5m_tokens, -- tokens cached for five minutes, including tokens without a recorded lifetime
    k.cache_creation_1h_tokens, -- tokens cached for one hour
    k.cache_read_tokens, -- tokens read from the prompt cache
    k.is_final as usage_final, -- 1 if a stop reason was recorded; 0 if the output may be longer than recorded
    k.cost_nanousd / 1e9 as est_cost_usd, -- estimated cost in US dollars at that day's list price; NULL if the model has no known price
    k.uuid, -- entry that the response is attributed to; it determines session_id
    k.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    strftime('%Y-%m-%d', k.timestamp_ms / 1000.0, 'unixepoch') as day, -- day in UTC
    k.project, -- project of the session
    k.is_wrapped, -- 1 if the entry in the uuid column is a progress entry that contains the subagent's message
    k.parent as parent_message_id -- for an item of usage.iterations by another model, such as an advisor: message_id of the enclosing response; otherwise NULL
from (
    -- the ids and the small columns; see docs/contributing.md, "Add a view"
    select
        r.response_id as message_id,
        m.request_id,
        i.session_id,
        cast(iif(m.is_wrapped, e.named_agent_id, t.agent_id) as text) as agent_id,
        r.model,
        r.entry,
        r.entry_count,
        r.input_tokens,
        r.output_tokens,
        r.cache_creation_5m_tokens,
        r.cache_creation_1h_tokens,
        r.cache_read_tokens,
        r.is_final,
        r.cost_nanousd,
        e.uuid,
        r.timestamp_ms,
        x.project,
        m.is_wrapped,
        r.parent
    from responses r
    join entries e on e.id = r.entry
    join messages m on m.entry = r.entry
    join session_ids i on i.id = r.session
    join sessions x on x.session = r.session
    left join placements w on w.entry = r.entry
    left join threads t on t.id = w.thread
) k
