-- A session's queued text that no entry contains, by time, with the columns of query/timeline_entries.
-- params:  session_id, max_chars
-- columns: text, entry (negative: the occurrence that queued the text), uuid, timestamp_ms, agent_id, kind, type,
-- columns: subtype, set_aside, line_id, line_kind, is_active, line
select
    substr(q.text, 1, :max_chars),
    -q.occurrence,
    null as uuid,
    q.timestamp_ms,
    null as agent_id,
    'prompt' as kind,
    o.type,
    q.removed_by,
    null as set_aside,
    l.line_id,
    l.kind,
    coalesce(l.is_active, 1),
    l.id
from session_ids i
join queued_words q on q.session = i.id
join occurrences o on o.id = q.occurrence
join sources s on s.id = o.source
left join placements w on w.entry = q.entry
left join lines l on l.id = w.line
where i.session_id = :session_id
order by q.timestamp_ms, s.path, o.generation, o.offset
