-- The ancestors of an entry, following effective parents, from the root to the direct parent.
-- params:  uuid
-- columns: entry
with recursive up(entry, distance) as (
    select p.effective_parent, 1
    from entries e
    join placements p on p.entry = e.id
    where e.uuid = :uuid and p.effective_parent is not null
    union all
    select p.effective_parent, u.distance + 1
    from up u
    join placements p on p.entry = u.entry
    where p.effective_parent is not null
)
select u.entry
from up u
order by u.distance desc
