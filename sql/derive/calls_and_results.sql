-- Calls with the given ids and their results, in time order.
-- params:  calls (JSON, encoded ids)
-- columns: tool_use_id, session, is_result, then the fields of facts.tool_calls.ToolBlock
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
matches(tool_use_id, is_result, entry, idx, is_error) as (
    select u.tool_use_id, 0, u.entry, u.idx, null
    from requested w
    cross join tool_uses u on u.tool_use_id = w.id
    union all
    select r.tool_use_id, 1, r.entry, r.idx, r.is_error
    from requested w
    cross join tool_results r on r.tool_use_id = w.id
)
select m.tool_use_id, e.session, m.is_result, m.entry, m.idx, p.thread, e.timestamp_ms, e.form, m.is_error
from matches m
cross join owned_entries e on e.id = m.entry
join sources s on s.id = e.source
join placements p on p.entry = m.entry
order by m.tool_use_id, e.session, e.timestamp_ms, s.path, e.generation, e.offset, m.idx
