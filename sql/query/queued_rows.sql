-- Queued text that no entry contains, with the columns of v1_entries that apply to it.
-- params:  queued (JSON array of occurrences of enqueue operations)
-- columns: occurrence, then columns of v1_entries
select
    q.occurrence,
    i.session_id,
    l.line_id,
    o.type,
    q.removed_by as subtype,
    'prompt' as kind,
    1 as is_typed,
    r.timestamp,
    q.timestamp_ms as timestamp_ms,
    0 as is_sidechain,
    0 as is_meta,
    s.project,
    s.path as source_path,
    o.line_no,
    q.text,
    'queued' as form,
    0 as is_command,
    0 as is_compact_summary,
    0 as is_api_error
from json_each(:queued) j
cross join queued_words q on q.occurrence = j.value
join occurrences o on o.id = q.occurrence
join session_ids i on i.id = q.session
join records r on r.occurrence = q.occurrence
join sources s on s.id = o.source
left join placements w on w.entry = q.entry
left join lines l on l.id = w.line
