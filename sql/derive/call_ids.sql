-- The ids of the calls that each given entry contains, in the order of its blocks.
-- params:  entries (JSON)
-- columns: entry, tool_use_id
select u.entry, u.tool_use_id
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
where u.tool_use_id is not null
order by u.entry, u.idx
