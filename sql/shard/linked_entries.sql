-- Entries of the shard that are linked with rows of the index.
-- They are copies or children of entries that the index already has, or contain, answer or report on the same calls.
-- params:  known (JSON, entries of the shard that the index already has)
-- columns: entry (in the shard)
select j.value as entry
from json_each(:known) j
union
select l.child
from json_each(:known) j
cross join shard.edges l on l.parent = j.value
union
select p.use
from shard.tool_pairs p
where p.use is not null and exists (select 1 from main.tool_pairs q where q.tool_use_id = p.tool_use_id)
union
select p.result
from shard.tool_pairs p
where p.result is not null and exists (select 1 from main.tool_pairs q where q.tool_use_id = p.tool_use_id)
union
select e.id
from shard.entries e
where e.named_agent_id is not null
    and e.parent_tool_use_id is not null
    and exists (select 1 from main.tool_pairs q where q.tool_use_id = e.parent_tool_use_id)
