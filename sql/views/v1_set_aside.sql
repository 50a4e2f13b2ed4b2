create view v1_set_aside as
-- One row per entry on no line.
select
    e.uuid,
    i.session_id,
    p.reason, -- replay: it repeats another; dead_end, structural: below one that stands beside the conversation
    f.uuid as fork_uuid, -- where it was decided
    l.line_id, -- of that fork
    t.thread_id
from places p
join entries e on e.id = p.entry
join threads t on t.id = p.thread
join session_ids i on i.id = t.session
join entries f on f.id = p.fork
join forks k on k.entry = p.fork and k.thread = p.thread
join lines l on l.id = k.line
where p.line is null
