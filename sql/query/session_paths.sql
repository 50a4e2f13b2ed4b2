-- The paths that contain an entry recorded in a session, whether the session owns the entry or has a copy.
-- params:  session_id, agents (1: include subagent paths)
-- columns: those of v1_paths, then is_agent
with recursive
recorded(line, position) as (
    select p.line, min(p.position)
    from session_ids i
    cross join occurrences o on o.session = i.id
    join placements p on p.entry = o.entry
    where i.session_id = :session_id and p.line is not null
    group by p.line
),
-- lines that start at or after a recorded entry, and all lines below them
below(line) as (
    select l.id
    from recorded r
    cross join lines l on l.parent = r.line and l.parent_position >= r.position
    union
    select l.id
    from below b
    cross join lines l on l.parent = b.line
),
through(line) as (
    select line from recorded
    union
    select line from below
)
select
    'path-' || z.uuid as path_id,
    i.session_id,
    p.number,
    case when l.is_active then 'active' else 'abandoned' end as status,
    r.uuid as root_uuid,
    z.uuid as leaf_uuid,
    f.uuid as fork_uuid,
    p.entry_count,
    p.compaction_count,
    l.line_id,
    l.kind in ('agent', 'agent_branch') as is_agent
from through x
cross join paths p on p.line = x.line
join lines l on l.id = p.line
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
join entries r on r.id = p.root
join owned_entries z on z.id = p.leaf
join sources s on s.id = z.source
left join entries f on f.id = p.fork
where :agents or l.kind in ('trunk', 'branch')
order by is_agent, z.timestamp_ms, s.path, z.generation, z.offset
