-- Calls that both the shard and the index contain, and the calls of entries whose content is not copied.
-- params:  known (JSON, entries of the shard that the index already has)
-- columns: tool_use_id
select p.tool_use_id
from shard.tool_pairs p
where exists (select 1 from main.tool_pairs q where q.tool_use_id = p.tool_use_id)
union
select u.tool_use_id
from json_each(:known) j
cross join shard.tool_uses u on u.entry = j.value
where u.tool_use_id is not null
union
select r.tool_use_id
from json_each(:known) j
cross join shard.tool_results r on r.entry = j.value
where r.tool_use_id is not null
