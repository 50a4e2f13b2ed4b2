-- Entries of a session that have several children in one thread, by time. One row per entry and thread.
-- params:  session_id
-- columns: entry, child_thread_id, thread_child_count, rung (NULL: there is no ruling on these children), verdict
select e.id as entry, t.thread_id as child_thread_id, count(*) as thread_child_count, f.rung, f.verdict
from session_ids i
cross join owned_entries e on e.session = i.id
join sources s on s.id = e.source
join placements c on c.effective_parent = e.id
join threads t on t.id = c.thread
left join forks f on f.entry = e.id and f.thread = t.id
where i.session_id = :session_id
group by e.timestamp_ms, s.path, e.generation, e.offset, e.id, t.thread_id
having count(*) > 1
order by e.timestamp_ms, s.path, e.generation, e.offset, t.thread_id
