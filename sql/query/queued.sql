-- Queued words that no entry holds, in the columns of query/spoken.
-- params:  queued (the occurrence of the operation that queued them)
-- columns: entry, uuid, kind, form, type, subtype, timestamp_ms, session_id, agent_id, model, response, text, root_kind, details
select
    -q.occurrence as entry,
    null as uuid,
    'prompt' as kind,
    'queued' as form,
    o.type,
    q.removed_by as subtype,
    q.timestamp_ms,
    i.session_id,
    null as agent_id,
    null as model,
    null as response,
    q.text,
    null as root_kind,
    null as details
from queued_words q
join occurrences o on o.id = q.occurrence
join session_ids i on i.id = q.session
where q.occurrence = :queued
