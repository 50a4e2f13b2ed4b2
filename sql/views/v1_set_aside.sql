create view v1_set_aside as
-- One row per entry that is on no line.
select
    e.uuid, -- uuid of the entry
    i.session_id, -- session that the entry belongs to
    p.set_aside_reason as reason, -- replay (recorded again elsewhere) or structural (below one of the fork's children, where the conversation does not continue)
    f.uuid as fork_uuid, -- fork that set the entry aside; for history that was recorded again without a parent, the root that was kept
    l.line_id, -- line of that fork or root
    t.thread_id -- thread that the entry belongs to
from placements p
join entries e on e.id = p.entry
join threads t on t.id = p.thread
join session_ids i on i.id = t.session
join entries f on f.id = p.fork
join lines l on l.id = p.fork_line
where p.line is null
