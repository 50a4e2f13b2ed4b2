-- Who holds the calls in temp.wanted, and who answers them.
-- columns: tool_use_id, entry, is_answer
select r.tool_use_id, r.entry, 1 as is_answer
from temp.wanted w
cross join tool_results r on r.tool_use_id = w.id
union
select u.tool_use_id, u.entry, 0
from temp.wanted w
cross join tool_uses u on u.tool_use_id = w.id
