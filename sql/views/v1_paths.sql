create view v1_paths as
-- One row per conversation path: from the root of a tree of lines to the end of a trunk or a branch.
-- Paths that end on a subagent's line are not included.
select
    'path-' || z.uuid as path_id, -- id of the path: 'path-' followed by the uuid of its last entry
    i.session_id, -- session that the last line of the path belongs to
    p.number, -- number of the path within the session, from 1, ordered by time of the last entry
    case when l.is_active then 'active' else 'abandoned' end as status, -- active or abandoned
    r.uuid as root_uuid, -- first entry of the path
    z.uuid as leaf_uuid, -- last entry of the path
    f.uuid as fork_uuid, -- entry at which the last branch on the path starts; NULL if there is none
    p.entry_count, -- number of entries on the path
    p.compaction_count, -- number of compactions on the path
    l.line_id -- line on which the path ends
from paths p
join lines l on l.id = p.line
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
join entries r on r.id = p.root
join entries z on z.id = p.leaf
left join entries f on f.id = p.fork
where l.kind in ('trunk', 'branch')
