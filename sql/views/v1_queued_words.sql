create view v1_queued_words as
-- One row per text that a person queued while Claude was working, that was removed from the queue and that no entry holds.
-- These words have no uuid: source_path and line_no identify them.
select
    i.session_id,
    l.line_id, -- the line they are shown on; NULL: the session has none of its own
    e.uuid as beside_uuid, -- the entry they are shown next to
    q.is_before, -- 1: before that entry; 0: after it
    q.text,
    q.removed_by, -- remove: Claude Code handed them to Claude; popAll: the person took them back
    r.timestamp, -- of the enqueue operation, as recorded
    q.timestamp_ms,
    q.removed_at as removed_ms,
    s.project,
    s.path as source_path,
    o.line_no
from queued_words q
join occurrences o on o.id = q.occurrence
join session_ids i on i.id = q.session
join records r on r.occurrence = q.occurrence
join sources s on s.id = o.source
left join entries e on e.id = q.entry
left join placements w on w.entry = q.entry
left join lines l on l.id = w.line
