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
select h.tool_use_id, o.session, h.is_result, h.entry, h.idx, p.thread, o.timestamp_ms
from held h
cross join entries e on e.id = h.entry
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
join placements p on p.entry = h.entry
order by h.tool_use_id, o.session, o.timestamp_ms, s.path, o.generation, o.offset, h.idx
