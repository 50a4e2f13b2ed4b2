-- Queued text that no entry contains, with the columns of query/transcript_entries.
-- params:  queued (JSON array of occurrences of enqueue operations)
-- columns: entry (the occurrence), uuid, kind, form, type, subtype, timestamp_ms, session_id, agent_id, model, response,
-- columns: text, root_kind, details
select
    q.occurrence as entry,
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
from json_each(:queued) j
cross join queued_words q on q.occurrence = j.value
join occurrences o on o.id = q.occurrence
join session_ids i on i.id = q.session
