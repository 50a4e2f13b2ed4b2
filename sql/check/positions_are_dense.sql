-- The positions on every line are 0, 1, 2, ... without gaps or duplicates.
select l.line_id, l.entry_count, count(p.entry) as entries, min(p.position) as first, max(p.position) as last
from lines l
left join placements p on p.line = l.id
group by l.id
having count(p.entry) <> l.entry_count
    or count(distinct p.position) <> l.entry_count
    or coalesce(min(p.position), -1) <> 0
    or max(p.position) <> l.entry_count - 1
