-- The given calls that have several call blocks or several result blocks.
-- params:  calls (JSON, encoded ids)
-- columns: tool_use_id
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
)
select w.id
from requested w
where (select count(*) from tool_uses u where u.tool_use_id = w.id) > 1
    or (select count(*) from tool_results r where r.tool_use_id = w.id) > 1
