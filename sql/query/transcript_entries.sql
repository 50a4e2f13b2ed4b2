-- The columns that a transcript shows, for the given entries, without content blocks.
-- params:  entries (JSON array of entry keys)
-- columns: entry, uuid, kind, form, type, subtype, timestamp_ms, session_id, agent_id, model, response, text, root_kind,
-- columns: details (JSON of further keys of a system entry)
select
    e.id,
    e.uuid,
    e.kind,
    e.form,
    e.type,
    e.subtype,
    e.timestamp_ms,
    i.session_id,
    t.agent_id,
    m.model,
    m.response_id,
    e.text,
    r.kind as root_kind,
    case when e.type = 'system' then d.json end as details
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
join session_ids i on i.id = e.session
join placements w on w.entry = e.id
join threads t on t.id = w.thread
left join roots r on r.entry = e.id
left join extra_json d on d.id = e.details
left join messages m on m.entry = e.id and m.is_wrapped = 0
