-- The ids in temp.wanted that several entries hold, or several answer.
-- columns: tool_use_id
select w.id
from temp.wanted w
where (select count(*) from tool_uses u where u.tool_use_id = w.id) > 1
    or (select count(*) from tool_results r where r.tool_use_id = w.id) > 1
