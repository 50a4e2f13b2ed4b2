create view v1_edges as
-- One row per link between two entries. A link is recorded in the child, or connects a subagent's first entry to the
-- entry that spawned the subagent.
select
    c.uuid as child_uuid, -- entry where the link starts
    p.uuid as parent_uuid, -- entry that the link points to
    l.kind, -- parent, logical, spawn or forked_from
    case
        when p.occurrence is null then 'ghost'
        when l.kind = 'parent' and exists (select 1 from parent_repairs r where r.child = l.child and r.kind = 'cut') then 'cut'
        else 'resolved'
    end as state, -- resolved, ghost (the parent was never seen) or cut (removed to break a cycle)
    cast(null as text) as rule -- rule that identified the spawning entry: context, sidecar, workflow, result, mention, progress or prompt; NULL for other kinds of links
from edges l
join entries c on c.id = l.child
join entries p on p.id = l.parent
union all
select
    c.uuid,
    p.uuid,
    'spawn',
    case
        when exists (select 1 from parent_repairs r where r.child = s.child and r.kind = 'cut') then 'cut'
        else 'resolved'
    end,
    s.rule
from parent_repairs s
join entries c on c.id = s.child
join entries p on p.id = s.parent
where s.kind = 'spawn'
