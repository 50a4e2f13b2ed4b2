-- Sessions to rank again: the given sessions that have a rank, and all sessions with a copy of a given entry.
-- params:  sessions (JSON), entries (JSON)
-- columns: session
select r.session
from json_each(:sessions) j
cross join session_ranks r on r.session = j.value
union
select o.session
from json_each(:entries) j
cross join occurrences o on o.entry = j.value
