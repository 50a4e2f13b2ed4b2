-- What a transcript tells of an entry besides its content.
-- params:  uuid
-- columns: entry, uuid, kind, form, type, subtype, timestamp_ms, session_id, agent_id, model, response, text,
-- columns: root_kind, details
select
    e.id,
    e.uuid,
    e.kind,
    e.form,
    e.type,
    e.subtype,
    o.timestamp_ms,
    i.session_id,
    t.agent_id,
    m.model,
    m.response_id,
    e.text,
    r.kind as root_kind,
    case when e.type = 'system' then d.json end as details
from entries e
join occurrences o on o.id = e.occurrence
join session_ids i on i.id = o.session
join placements w on w.entry = e.id
join threads t on t.id = w.thread
left join roots r on r.entry = e.id
left join extra_json d on d.id = e.details
left join messages m on m.entry = e.id and m.is_wrapped = 0
where e.uuid = :uuid
