-- The parent of a line is the line of the entry it is attached to, unless that entry was set aside.
select l.line_id
from lines l
left join placements p on p.entry = l.attachment
left join lines a on a.id = l.parent
where (l.parent is null) <> (l.attachment is null)
    or (p.line is not null and (p.line is not l.parent or p.position is not l.parent_position))
    or l.parent_position not between 0 and a.entry_count - 1
