-- The entries of the path that ends at the given entry, root first.
-- params:  leaf_uuid
-- columns: uuid
with recursive up(line, last_position, depth) as (
    select p.line, l.entry_count - 1, 0
    from entries e
    join paths p on p.leaf = e.id
    join lines l on l.id = p.line
    where e.uuid = :leaf_uuid
    union all
    select l.parent, l.parent_position, u.depth + 1
    from up u
    join lines l on l.id = u.line -- terminates because lines form a forest
    where l.parent is not null
)
select e.uuid
from up u
cross join placements p on p.line = u.line and p.position <= u.last_position
join entries e on e.id = p.entry
order by u.depth desc, p.position
