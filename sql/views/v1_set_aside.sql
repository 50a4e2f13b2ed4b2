create view v1_set_aside as
-- One row per entry on no line.
select
    e.uuid,
    i.session_id,
    p.set_aside_reason as reason, -- replay: recorded again elsewhere; structural: below an entry that stands beside the conversation
    f.uuid as fork_uuid, -- where it was decided; of a history recorded again without a parent the root that is kept
    l.line_id, -- the line that owns that fork
    t.thread_id
from placements p
join entries e on e.id = p.entry
join threads t on t.id = p.thread
join session_ids i on i.id = t.session
join entries f on f.id = p.fork
join lines l on l.id = p.fork_line
where p.line is null
