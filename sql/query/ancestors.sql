-- The chain of effective parents from an entry to its root, nearest first.
-- params:  uuid
-- columns: uuid, depth
with recursive up(entry, depth) as (
    select p.effective_parent, 1
    from entries e
    join placements p on p.entry = e.id
    where e.uuid = :uuid and p.effective_parent is not null
    union all
    select p.effective_parent, u.depth + 1
    from up u
    join placements p on p.entry = u.entry
    where p.effective_parent is not null
)
select e.uuid, u.depth
from up u
join entries e on e.id = u.entry
order by u.depth
