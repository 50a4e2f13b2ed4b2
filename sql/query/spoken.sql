-- What a transcript tells of an entry besides its content.
-- params:  uuid
-- columns: entry, uuid, kind, form, type, subtype, at, session_id, agent_id, model, response, text
select
    e.id,
    e.uuid,
    e.kind,
    e.form,
    e.type,
    e.subtype,
    o.at,
    i.session_id,
    t.agent_id,
    m.model,
    m.response,
    e.text
from entries e
join occurrences o on o.id = e.occurrence
join session_ids i on i.id = o.session
join places w on w.entry = e.id
join threads t on t.id = w.thread
left join messages m on m.entry = e.id and m.is_wrapped = 0
where e.uuid = :uuid
