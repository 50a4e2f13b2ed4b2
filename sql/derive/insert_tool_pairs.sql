-- Inserts the pairs of the given calls and returns their sessions and timestamps.
-- rule: tool_pair
-- Every call must have at most one call block and one result block.
-- A call has one pair per session that contains it or its result.
-- params:  calls (JSON, encoded ids)
-- columns: session, timestamp_ms
insert into tool_pairs (tool_use_id, session, use, use_idx, result, result_idx, timestamp_ms, outcome)
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
blocks_by_id(tool_use_id, use, use_idx, result, result_idx) as (
    select u.tool_use_id, u.entry, u.idx, null, null
    from requested w
    cross join tool_uses u on u.tool_use_id = w.id
    union all
    select r.tool_use_id, null, null, r.entry, r.idx
    from requested w
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
    'pending' as outcome -- set_outcomes replaces it
from blocks_by_id h
cross join owned_entries e on e.id = coalesce(h.use, h.result)
group by h.tool_use_id, e.session
returning session, timestamp_ms
