-- Entries that records of the given sessions refer to: leaves of last-prompt and contexts of fork-context-ref records.
-- params:  sessions (JSON)
-- columns: type, session, agent_id (of the file), entry, timestamp_ms, source, generation, offset
select o.type, o.session, s.agent_id, e.id as entry, o.timestamp_ms, o.source, o.generation, o.offset
from json_each(:sessions) j
cross join occurrences o on o.session = j.value
    and o.entry is null
    and o.type in ('last-prompt', 'fork-context-ref')
join records r on r.occurrence = o.id
join entries e on e.uuid = r.leaf and e.occurrence is not null
join sources s on s.id = o.source
order by s.path, o.generation, o.offset
