-- The roots of a thread are exactly its entries without a parent in the thread.
select e.uuid, r.kind
from placements p
join entries e on e.id = p.entry
left join placements q on q.entry = p.effective_parent
left join roots r on r.entry = p.entry and r.thread = p.thread
where (q.thread is p.thread) = (r.entry is not null)
