create view v1_tools as
-- One row per tool: the number of calls, their outcomes and their durations.
with durations as (
    select
        u.name,
        j.value as ms,
        row_number() over (partition by u.name order by j.value) as rank,
        count(*) over (partition by u.name) as size
    from tool_totals u
    join json_each(u.durations_ms) j
),
duration_stats as (
    select
        name,
        cast(round(avg(ms)) as integer) as mean_ms,
        max(ms) as max_ms,
        avg(ms) filter (where rank in ((size + 1) / 2, size / 2 + 1)) as median_ms,
        min(ms) filter (where rank = (95 * size + 99) / 100) as p95_ms
    from durations
    group by name
)
select
    u.name, -- name of the tool
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 6, instr(substr(u.name, 6), '__') - 1) end as mcp_server, -- name of the MCP server that provides it
    sum(u.calls) as calls, -- number of calls
    count(distinct u.session) as sessions, -- number of sessions in which the tool was called
    sum(u.error_results) as errors, -- number of results marked as errors: failed calls, and most refused or interrupted calls
    sum(u.refused) as rejections, -- number of calls that the user refused; the same as refused
    sum(u.calls - u.ok - u.errors - u.refused - u.interrupted) as pending, -- number of calls without a result
    t.mean_ms, -- mean duration in milliseconds
    t.max_ms, -- longest duration in milliseconds
    min(u.first_timestamp_ms) as first_timestamp_ms, -- time of the first call in milliseconds since the Unix epoch
    max(u.last_timestamp_ms) as last_timestamp_ms, -- time of the last call in milliseconds since the Unix epoch
    sum(u.ok) as ok, -- number of successful calls
    sum(u.errors) as failed, -- number of failed calls, excluding refused and interrupted calls
    sum(u.refused) as refused, -- number of calls that the user refused
    sum(u.interrupted) as interrupted, -- number of interrupted calls
    1.0 * sum(u.errors) / nullif(sum(u.ok + u.errors + u.refused + u.interrupted), 0) as error_rate, -- share of failed calls among calls with a result, from 0 to 1
    t.median_ms, -- median duration in milliseconds
    t.p95_ms -- 95th percentile duration in milliseconds
from tool_totals u
left join duration_stats t on t.name = u.name
group by u.name
