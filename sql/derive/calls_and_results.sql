-- Calls with some ids and their results, by time.
-- params:  calls (JSON, encoded ids)
-- columns: tool_use_id, session, is_result, entry, idx, thread, timestamp_ms
with wanted(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
held(tool_use_id, is_result, entry, idx) as (
    select u.tool_use_id, 0, u.entry, u.idx
    from wanted w
    cross join tool_uses u on u.tool_use_id = w.id
    union all
    select r.tool_use_id, 1, r.entry, r.idx
    from wanted w
    cross join tool_results r on r.tool_use_id = w.id
)
select h.tool_use_id, e.session, h.is_result, h.entry, h.idx, p.thread, e.timestamp_ms
from held h
cross join owned_entries e on e.id = h.entry
join sources s on s.id = e.source
join placements p on p.entry = h.entry
order by h.tool_use_id, e.session, e.timestamp_ms, s.path, e.generation, e.offset, h.idx
