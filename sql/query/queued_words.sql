-- Queued words that no entry holds, in the columns of v1_entries that they have.
-- params:  occurrence (of the operation that queued them)
-- columns: as named
select
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
from queued_words q
join occurrences o on o.id = q.occurrence
join session_ids i on i.id = q.session
join records r on r.occurrence = q.occurrence
join sources s on s.id = o.source
left join placements w on w.entry = q.entry
left join lines l on l.id = w.line
where q.occurrence = :occurrence
