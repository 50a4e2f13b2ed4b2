-- Sessions whose derived rows depend on the given entries or sidecars.
-- params:  entries (JSON), documents (JSON, sources of the sidecars)
-- columns: session
-- sessions that own the entries
select e.session
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
union
-- sessions that owned them when they were last derived
select t.session
from json_each(:entries) j
cross join placements p on p.entry = j.value
join threads t on t.id = p.thread
union
-- sessions whose folder contains one of the sidecars
select i.id
from json_each(:documents) j
cross join sources s on s.id = j.value
join session_ids i on i.session_id = s.session_hint
union
-- sessions of the entries in the transcript next to one of the sidecars
select o.session
from json_each(:documents) j
cross join sources s on s.id = j.value
join sources a on a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
join occurrences o on o.source = a.id and o.entry is not null
