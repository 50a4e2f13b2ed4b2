-- The lines of the path that ends at an entry, from the root of their tree, each with how far the path follows it.
-- params:  leaf_uuid
-- columns: line, upto
with recursive up(line, upto, depth) as (
    select p.line, l.entry_count - 1, 0
    from entries e
    join paths p on p.leaf = e.id
    join lines l on l.id = p.line
    where e.uuid = :leaf_uuid
    union all
    select l.parent, l.parent_position, u.depth + 1
    from up u
    join lines l on l.id = u.line -- a forest: check/lines_form_a_forest
    where l.parent is not null
)
select line, upto
from up
order by depth desc
