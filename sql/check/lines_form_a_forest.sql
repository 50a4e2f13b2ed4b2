-- Following parents from any line leads to a line without a parent.
with recursive reached(line) as (
    select id from lines where parent is null
    union all
    select l.id
    from reached r
    join lines l on l.parent = r.line
)
select l.line_id
from lines l
left join reached r on r.line = l.id
where r.line is null
