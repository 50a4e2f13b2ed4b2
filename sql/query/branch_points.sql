-- The entries of a session that have several children in one thread, with that thread, by time.
-- params:  session_id
-- columns: uuid, thread_id, child_count
select e.uuid, t.thread_id, count(*) as child_count
from session_ids i
join occurrences o on o.session = i.id and o.is_owner = 1
join sources s on s.id = o.source
join entries e on e.id = o.entry
join placements c on c.effective_parent = e.id
join threads t on t.id = c.thread
where i.session_id = :session_id
group by o.timestamp_ms, s.path, o.generation, o.offset, e.uuid, t.thread_id
having count(*) > 1
order by o.timestamp_ms, s.path, o.generation, o.offset, t.thread_id
