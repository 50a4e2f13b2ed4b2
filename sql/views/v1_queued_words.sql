create view v1_queued_words as
-- One row per text that was queued while Claude was working, was removed from the queue and is not in any entry.
-- This text has no uuid; source_path and line_no identify it.
select
    i.session_id, -- session that the text belongs to
    l.line_id, -- line on which the text is shown; NULL if the session has no line of its own
    e.uuid as beside_uuid, -- entry next to which the text is shown
    q.is_before, -- 1 if the text is shown before that entry, 0 if after it
    q.text, -- text as typed
    q.removed_by, -- remove (Claude Code passed the text to Claude) or popAll (the person took it back)
    r.timestamp, -- recorded timestamp of the enqueue operation
    q.timestamp_ms, -- time of the enqueue operation in milliseconds since the Unix epoch
    q.removed_ms, -- time of the removal in milliseconds since the Unix epoch
    s.project, -- name of the project folder
    s.path as source_path, -- file that contains the enqueue operation
    o.line_no -- line number in that file, from 1
from queued_words q
join occurrences o on o.id = q.occurrence
join session_ids i on i.id = q.session
join records r on r.occurrence = q.occurrence
join sources s on s.id = o.source
left join entries e on e.id = q.entry
left join placements w on w.entry = q.entry
left join lines l on l.id = w.line
