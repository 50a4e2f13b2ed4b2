-- The entries whose effective parent an entry is, by time.
-- params:  uuid
-- columns: uuid, thread_id, line_id
select e.uuid, t.thread_id, l.line_id
from entries q
join placements p on p.effective_parent = q.id
join entries e on e.id = p.entry
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
join threads t on t.id = p.thread
left join lines l on l.id = p.line
where q.uuid = :uuid
order by o.timestamp_ms, s.path, o.generation, o.offset
