create view v1_tools as
-- One row per tool: how often it was called, and how the calls ended.
with durations as (
    select
        u.name,
        j.value as ms,
        row_number() over (partition by u.name order by j.value) as place,
        count(*) over (partition by u.name) as size
    from tool_totals u
    join json_each(u.durations) j
),
took as (
    select
        name,
        cast(round(avg(ms)) as integer) as mean_ms,
        max(ms) as max_ms,
        avg(ms) filter (where place in ((size + 1) / 2, size / 2 + 1)) as median_ms,
        min(ms) filter (where place = (95 * size + 99) / 100) as p95_ms
    from durations
    group by name
)
select
    u.name,
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 6, instr(substr(u.name, 6), '__') - 1) end as mcp_server,
    sum(u.calls) as calls,
    count(distinct u.session) as sessions,
    sum(u.flagged) as errors, -- results marked as errors: failed calls, and most refused and interrupted ones
    sum(u.refused) as rejections,
    sum(u.calls - u.ok - u.errors - u.refused - u.interrupted) as pending,
    t.mean_ms,
    t.max_ms,
    min(u.first_at) as first_timestamp_ms,
    max(u.last_at) as last_timestamp_ms,
    sum(u.ok) as ok,
    sum(u.errors) as failed, -- without refused and interrupted calls
    sum(u.refused) as refused, -- by the user
    sum(u.interrupted) as interrupted,
    1.0 * sum(u.errors) / nullif(sum(u.ok + u.errors + u.refused + u.interrupted), 0) as error_rate, -- of calls with a result
    t.median_ms, -- mean of the two middle durations
    t.p95_ms -- 95 of 100 calls take at most this
from tool_totals u
left join took t on t.name = u.name
group by u.name
