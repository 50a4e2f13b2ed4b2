-- The entries whose effective parent an entry is, by time.
-- params:  uuid
-- columns: entry
select e.id as entry
from entries q
join placements p on p.effective_parent = q.id
join entries e on e.id = p.entry
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
where q.uuid = :uuid
order by o.timestamp_ms, s.path, o.generation, o.offset
