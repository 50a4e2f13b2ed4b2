-- The entries of a session's trunk, by time.
-- params:  session_id
-- columns: uuid
select e.uuid
from session_ids i
join threads t on t.session = i.id
join occurrences o on o.session = i.id and o.is_owner = 1
join placements p on p.entry = o.entry
join entries e on e.id = o.entry
join sources s on s.id = o.source
where i.session_id = :session_id and t.agent_id is null and p.thread = t.id
order by o.timestamp_ms, s.path, o.generation, o.offset
