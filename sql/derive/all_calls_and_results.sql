-- All calls and results that have an id, in time order; see `calls_and_results`.
-- columns: tool_use_id, session, is_result, then the fields of facts.tool_calls.ToolBlock
with matches(tool_use_id, is_result, entry, idx, is_error) as (
    select tool_use_id, 0, entry, idx, null
    from tool_uses
    where tool_use_id is not null
    union all
    select tool_use_id, 1, entry, idx, is_error
    from tool_results
    where tool_use_id is not null
)
select m.tool_use_id, e.session, m.is_result, m.entry, m.idx, p.thread, e.timestamp_ms, e.form, m.is_error
from matches m
cross join owned_entries e on e.id = m.entry
join sources s on s.id = e.source
join placements p on p.entry = m.entry
order by m.tool_use_id, e.session, e.timestamp_ms, s.path, e.generation, e.offset, m.idx
