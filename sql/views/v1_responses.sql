create view v1_responses as
-- One row per API response, each counted once however many entries, copies and replays recorded it.
select
    r.response_id as message_id, -- where there is none: the request id, else the uuid; of an iteration: parent#index
    m.request_id,
    i.session_id, -- of its earliest entry that is no sidechain, else of its earliest
    case when m.is_wrapped then e.named_agent_id else t.agent_id end as agent_id, -- NULL: the session's own
    r.model,
    e.timestamp, -- of that entry
    r.entry_count, -- entries that recorded it
    r.input_tokens, -- all tokens: of the fullest snapshot
    r.output_tokens,
    r.cache_creation_5m_tokens, -- those whose lifetime was not recorded too
    r.cache_creation_1h_tokens,
    r.cache_read_tokens,
    r.is_final as usage_final, -- 1: a stop reason was recorded
    r.cost / 1e9 as est_cost_usd, -- at the list price of the day; NULL: the model has no price
    e.uuid, -- the entry it belongs to
    r.timestamp_ms,
    strftime('%Y-%m-%d', r.timestamp_ms / 1000.0, 'unixepoch') as day, -- in UTC
    x.project, -- the session's
    m.is_wrapped, -- 1: known from progress entries
    r.parent as parent_message_id -- of an iteration of another model, such as an advisor: the response it took part in
from responses r
join entries e on e.id = r.entry
join messages m on m.entry = r.entry
join session_ids i on i.id = r.session
join sessions x on x.session = r.session
left join placements w on w.entry = r.entry
left join threads t on t.id = w.thread
