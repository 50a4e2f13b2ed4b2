create view v1_edges as
-- One row per link between two entries. A link is recorded in the child, or connects a subagent's first entry to the
-- entry that spawned the subagent.
select
    k.child_uuid, -- entry where the link starts
    k.parent_uuid, -- entry that the link points to
    k.kind, -- parent, logical, spawn or forked_from
    case
        when k.is_ghost then 'ghost'
        when k.kind in ('parent', 'spawn') and exists (select 1 from parent_repairs r where r.child = k.child and r.kind = 'cut') then 'cut'
        else 'resolved'
    end as state, -- resolved, ghost (the parent was never seen) or cut (removed to break a cycle)
    k.rule -- rule that identified the spawning entry: context, sidecar, workflow, result, mention, progress or prompt; NULL for other kinds of links
from (
    select
        l.child,
        c.uuid as child_uuid,
        p.uuid as parent_uuid,
        l.kind,
        p.occurrence is null as is_ghost,
        cast(null as text) as rule
    from edges l
    join entries c on c.id = l.child
    join entries p on p.id = l.parent
    union all
    select s.child, c.uuid, p.uuid, 'spawn', 0, s.rule
    from parent_repairs s
    join entries c on c.id = s.child
    join entries p on p.id = s.parent
    where s.kind = 'spawn'
) k
