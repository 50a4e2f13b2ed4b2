-- The lines of the path that ends at the given entry, root first, each with the last position on the path.
-- params:  leaf_uuid
-- columns: line, last_position
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
select line, last_position
from up
order by depth desc
