-- The entries of a session that have several children in one thread, once per such thread, by time.
-- params:  session_id
-- columns: entry, child_thread_id, thread_child_count, rung (NULL: the children are not ruled on together), verdict
select e.id as entry, t.thread_id as child_thread_id, count(*) as thread_child_count, f.rung, f.verdict
from session_ids i
cross join occurrences o on o.session = i.id and o.is_owner = 1
join sources s on s.id = o.source
join entries e on e.id = o.entry
join placements c on c.effective_parent = e.id
join threads t on t.id = c.thread
left join forks f on f.entry = e.id and f.thread = t.id
where i.session_id = :session_id
group by o.timestamp_ms, s.path, o.generation, o.offset, e.id, t.thread_id
having count(*) > 1
order by o.timestamp_ms, s.path, o.generation, o.offset, t.thread_id
