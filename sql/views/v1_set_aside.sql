create view v1_set_aside as
-- One row per entry on no line.
select
    e.uuid,
    i.session_id,
    p.reason, -- replay: it repeats another; structural: below one that was put on the line beside the conversation
    f.uuid as fork_uuid, -- where it was decided; of a history that was recorded again: the root of the other recording
    l.line_id, -- of that entry
    t.thread_id
from places p
join entries e on e.id = p.entry
join threads t on t.id = p.thread
join session_ids i on i.id = t.session
join entries f on f.id = p.fork
left join forks k on k.entry = p.fork and k.thread = p.thread
left join places r on r.entry = p.fork
left join lines l on l.id = coalesce(k.line, r.line)
where p.line is null
