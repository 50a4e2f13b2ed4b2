-- The ids of the calls that the given entries contain or answer.
-- params:  entries (JSON)
-- columns: tool_use_id
select u.tool_use_id
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
where u.tool_use_id is not null
union
select r.tool_use_id
from json_each(:entries) j
cross join tool_results r on r.entry = j.value
where r.tool_use_id is not null
