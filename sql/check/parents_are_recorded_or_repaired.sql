-- Every effective parent is the recorded parent, if that entry exists, or is explained by a repair.
select e.uuid, p.effective_parent, l.parent as recorded
from placements p
join entries e on e.id = p.entry
left join edges l on l.child = p.entry and l.kind = 'parent'
left join entries q on q.id = l.parent
left join parent_repairs s on s.child = p.entry and s.kind = 'spawn'
left join parent_repairs c on c.child = p.entry and c.kind = 'cut'
where p.effective_parent is not case
        when c.child is not null then null
        when s.child is not null then s.parent
        when q.occurrence is not null then l.parent
    end
