-- Objects recorded under a forgotten session, and records that refer to a forgotten leaf, in archive order.
-- columns: source, generation, offset, length
select o.source, o.generation, o.offset, o.length
from tombstones f
cross join session_ids i on i.session_id = f.name
cross join occurrences o on o.session = i.id
join sources s on s.id = o.source
where f.kind = 'session'
union
select o.source, o.generation, o.offset, o.length
from tombstones f
cross join records r on r.leaf = f.name
join occurrences o on o.id = r.occurrence
join sources s on s.id = o.source
where f.kind = 'leaf'
order by 1, 2, 3
