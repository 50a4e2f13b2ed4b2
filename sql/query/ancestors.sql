-- The effective parents of an entry up to its root, root first.
-- params:  uuid
-- columns: entry
with recursive up(entry, distance) as (
    select p.parent, 1
    from entries e
    join places p on p.entry = e.id
    where e.uuid = :uuid and p.parent is not null
    union all
    select p.parent, u.distance + 1
    from up u
    join places p on p.entry = u.entry
    where p.parent is not null
)
select u.entry
from up u
order by u.distance desc
