-- The entries of a session that have no effective parent in it, by time.
-- params:  session_id
-- columns: uuid, kind, parent_uuid
select e.uuid, r.kind, q.uuid as parent_uuid
from session_ids i
join threads t on t.session = i.id
join roots r on r.thread = t.id -- no parent in the session: none in the thread
join placements p on p.entry = r.entry
join owned_entries e on e.id = p.entry
join sources s on s.id = e.source
left join entries q on q.id = p.effective_parent
left join occurrences v on v.id = q.occurrence
where i.session_id = :session_id and (v.session is null or v.session <> i.id)
order by e.timestamp_ms, s.path, e.generation, e.offset
