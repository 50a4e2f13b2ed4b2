-- Entries of the index that report on agents of calls in the shard.
-- columns: entry
select e.id as entry
from main.entries e
where e.named_agent_id is not null
    and e.parent_tool_use_id is not null
    and exists (select 1 from shard.tool_pairs q where q.tool_use_id = e.parent_tool_use_id)
