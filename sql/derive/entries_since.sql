-- The entries of the given entry's session since the timestamp of that entry, in time order.
-- The thread is NULL if the entry has not been derived yet.
-- rule: time_order
-- params:  entry, limit
-- columns: entry, thread
select o.entry, p.thread
from entries g
join occurrences h on h.id = g.occurrence
cross join occurrences o on o.session = h.session and o.timestamp_ms >= h.timestamp_ms and o.is_owner = 1
join sources s on s.id = o.source
left join placements p on p.entry = o.entry
where g.id = :entry
order by o.timestamp_ms, s.path, o.generation, o.offset
limit :limit
