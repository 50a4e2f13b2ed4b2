create view v1_edges as
-- One row per link between entries, as the child's owner names it.
select
    c.uuid as child_uuid,
    p.uuid as parent_uuid,
    l.kind, -- parent, logical, forked_from
    case when p.occurrence is null then 'ghost' else 'resolved' end as state -- ghost: the parent was never seen
from edges l
join entries c on c.id = l.child
join entries p on p.id = l.parent
