-- The lines that start from the given entries, by time.
-- params:  entries (JSON array of entry keys)
-- columns: entry, line, kind
select n.entry, n.target, n.kind
from json_each(:entries) j
cross join junctions n on n.entry = j.value
order by n.entry, n.ordinal
