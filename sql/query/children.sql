-- The entries whose effective parent is the given entry, by time.
-- params:  uuid
-- columns: entry
select e.id as entry
from entries q
join placements p on p.effective_parent = q.id
join owned_entries e on e.id = p.entry
join sources s on s.id = e.source
where q.uuid = :uuid
order by e.timestamp_ms, s.path, e.generation, e.offset
