-- Sessions that the sidecars in temp.documents speak of: by their folder, and by the transcript beside them.
-- columns: session
select i.id as session
from temp.documents d
cross join sources s on s.id = d.document
join session_ids i on i.session_id = s.session_hint
union
select o.session
from temp.documents d
cross join sources s on s.id = d.document
join sources a on a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
join occurrences o on o.source = a.id and o.entry is not null
