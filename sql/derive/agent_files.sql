-- Agent files that contain a current copy of a given entry, recorded under the session that owns the entry.
-- params:  entries (JSON)
-- columns: entry, agent_id, source
select o.entry, s.agent_id, s.id as source
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
join occurrences o on o.entry = e.id and o.session = e.session and o.is_current = 1
join sources s on s.id = o.source and s.role = 'agent'
where s.agent_id is not null
order by o.entry, s.path
