-- The ids of calls that the entries in temp.changed hold or answer.
-- columns: tool_use_id
select u.tool_use_id
from temp.changed c
cross join tool_uses u on u.entry = c.entry
where u.tool_use_id is not null
union
select r.tool_use_id
from temp.changed c
cross join tool_results r on r.entry = c.entry
where r.tool_use_id is not null
