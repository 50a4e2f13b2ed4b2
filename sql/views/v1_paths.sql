create view v1_paths as
-- One row per conversation path: from the root of the line tree to the end of a line.
select
    'path-' || z.uuid as path_id,
    i.session_id, -- of the line it ends on
    p.number, -- within the session, by time of the leaf
    case when l.is_active then 'active' else 'abandoned' end as status,
    r.uuid as root_uuid,
    z.uuid as leaf_uuid,
    f.uuid as fork_uuid, -- the last rewind on it
    p.entry_count,
    p.compaction_count,
    l.line_id -- that it ends on
from paths p
join lines l on l.id = p.line
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
join entries r on r.id = p.root
join entries z on z.id = p.leaf
left join entries f on f.id = p.fork
where l.kind in ('trunk', 'branch')
