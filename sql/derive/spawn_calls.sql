-- The Task and Agent calls in the given entries.
-- params:  entries (JSON)
-- columns: entry, tool_use_id, input, is_spawn
select u.entry, u.tool_use_id, u.input, 1 as is_spawn
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
where u.name in ('Task', 'Agent')
order by u.entry, u.idx
