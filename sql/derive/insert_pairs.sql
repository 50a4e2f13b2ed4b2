-- Inserts the pairs of some calls, each held and answered at most once, and returns the sessions that they are in.
-- A call has one pair per session that holds or answers it.
-- params:  calls (JSON, encoded ids)
-- columns: session
insert into tool_pairs (tool_use_id, session, use, use_idx, result, result_idx, timestamp_ms, outcome)
with wanted(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
held(tool_use_id, use, use_idx, result, result_idx) as (
    select u.tool_use_id, u.entry, u.idx, null, null
    from wanted w
    cross join tool_uses u on u.tool_use_id = w.id
    union all
    select r.tool_use_id, null, null, r.entry, r.idx
    from wanted w
    cross join tool_results r on r.tool_use_id = w.id
)
select
    h.tool_use_id,
    e.session,
    max(h.use) as use,
    max(h.use_idx) as use_idx,
    max(h.result) as result,
    max(h.result_idx) as result_idx,
    coalesce(max(case when h.use is not null then e.timestamp_ms end), max(e.timestamp_ms)) as timestamp_ms,
    'pending' as outcome -- until set_outcomes
from held h
cross join owned_entries e on e.id = coalesce(h.use, h.result)
group by h.tool_use_id, e.session
returning session
