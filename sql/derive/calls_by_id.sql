-- The calls with the ids in temp.wanted.
-- columns: entry, tool_use_id, input, is_spawn
select u.entry, u.tool_use_id, u.input, coalesce(u.name in ('Task', 'Agent'), 0) as is_spawn
from temp.wanted w
cross join tool_uses u on u.tool_use_id = w.id
order by u.entry, u.idx
