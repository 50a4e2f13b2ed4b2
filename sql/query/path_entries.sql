-- The entries of the path that ends on a line, from its root to its leaf.
-- params:  line_id, leaf_uuid
-- columns: uuid
with recursive up(line, position, depth) as (
    select l.id, l.entry_count - 1, 0
    from lines l
    join places p on p.line = l.id and p.position = l.entry_count - 1
    join entries e on e.id = p.entry
    where l.line_id = :line_id and e.uuid = :leaf_uuid
    union all
    select l.parent, l.parent_position, u.depth + 1
    from up u
    join lines l on l.id = u.line -- a forest: check/lines_form_a_forest
    where l.parent is not null
)
select e.uuid
from up u
cross join places p on p.line = u.line and p.position <= u.position
join entries e on e.id = p.entry
order by u.depth desc, p.position
