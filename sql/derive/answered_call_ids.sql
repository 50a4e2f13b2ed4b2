-- The ids of the calls that each given entry answers, in the order of its blocks.
-- params:  entries (JSON)
-- columns: entry, tool_use_id
select r.entry, r.tool_use_id
from json_each(:entries) j
cross join tool_results r on r.entry = j.value
order by r.entry, r.idx
