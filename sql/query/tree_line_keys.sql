-- The lines of all trees, or of the trees that contain an entry recorded in a session, whether owned or copied.
-- params:  session_id (NULL: all trees)
-- columns: line
with recursive
recorded(line) as (
    select distinct p.line
    from session_ids i
    cross join occurrences o on o.session = i.id
    join placements p on p.entry = o.entry
    where i.session_id = :session_id and p.line is not null
),
up(line) as (
    select line from recorded
    union
    select l.parent
    from up u
    join lines l on l.id = u.line
    where l.parent is not null
),
tree_lines(line) as (
    select id
    from lines
    where parent is null and (:session_id is null or id in (select line from up))
    union all
    select l.id
    from tree_lines w
    join lines l on l.parent = w.line
)
select line
from tree_lines
