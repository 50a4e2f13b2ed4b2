-- Sessions whose derived rows depend on some entries or sidecars.
-- params:  entries (JSON), documents (JSON, sources of the sidecars)
-- columns: session
-- the sessions that own the entries
select e.session
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
union
-- those that owned them when they were last placed
select t.session
from json_each(:entries) j
cross join placements p on p.entry = j.value
join threads t on t.id = p.thread
union
-- those whose folder contains a sidecar
select i.id
from json_each(:documents) j
cross join sources s on s.id = j.value
join session_ids i on i.session_id = s.session_hint
union
-- those that claim an entry of the transcript beside a sidecar
select o.session
from json_each(:documents) j
cross join sources s on s.id = j.value
join sources a on a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
join occurrences o on o.source = a.id and o.entry is not null
