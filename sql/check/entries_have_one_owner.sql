-- Every entry has exactly one owner among its occurrences, and its content is the owner's content.
select e.uuid, count(o.id) as owners
from entries e
left join occurrences o on o.entry = e.id and o.is_owner = 1
where e.occurrence is not null
group by e.id
having count(o.id) <> 1 or max(o.id) <> e.occurrence or max(o.hash) <> e.hash
