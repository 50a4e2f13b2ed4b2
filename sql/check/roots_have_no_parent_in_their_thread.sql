-- The roots of a thread are those of its entries whose parent is not in it.
select e.uuid, r.kind
from placements p
join entries e on e.id = p.entry
left join placements q on q.entry = p.effective_parent
left join roots r on r.entry = p.entry and r.thread = p.thread
where (q.thread is p.thread) = (r.entry is not null)
