-- Whether the call that a result answers comes later on a line: the result is told with it.
-- params:  entry, idx, line, position
-- columns: is_awaited
select 1
from tool_pairs p
join placements w on w.entry = p.use
where p.result = :entry and p.result_idx = :idx and w.line = :line and w.position > :position
