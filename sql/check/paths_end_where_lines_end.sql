-- Every path ends with the last entry of its line.
select l.line_id
from paths x
join lines l on l.id = x.line
join placements p on p.entry = x.leaf
where p.line is not x.line or p.position <> l.entry_count - 1
