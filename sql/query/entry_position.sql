-- The position of an entry on its line or, if it was set aside, the fork that set it aside and the line of that fork.
-- params:  uuid
-- columns: line_id, position, kind, entry_count, is_active, parent_line_id, attachment_uuid, reason, fork_uuid
select
    l.line_id,
    p.position,
    l.kind,
    coalesce(l.entry_count, 0),
    coalesce(l.is_active, 0),
    a.line_id,
    x.uuid,
    p.set_aside_reason,
    f.uuid
from entries e
join placements p on p.entry = e.id
left join forks k on k.entry = p.fork and k.thread = p.thread
-- for history that was recorded again without a parent, the fork is the root that was kept
left join placements r on r.entry = p.fork
left join lines l on l.id = coalesce(p.line, k.line, r.line)
left join lines a on a.id = l.parent
left join entries x on x.id = l.attachment
left join entries f on f.id = p.fork
where e.uuid = :uuid
