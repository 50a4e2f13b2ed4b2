create view v1_tools as
-- One row per tool: how often it was called, and how that went.
with took as (
    select u.name, cast(round(avg(j.value)) as integer) as mean_ms, max(j.value) as max_ms
    from tool_totals u
    join json_each('[' || u.durations || ']') j
    group by u.name
)
select
    u.name,
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 6, instr(substr(u.name, 6), '__') - 1) end as mcp_server,
    sum(u.calls) as calls,
    count(distinct u.session) as sessions,
    sum(u.failed) as errors, -- calls that the user rejected too
    sum(u.rejections) as rejections,
    sum(u.calls - u.answered) as pending,
    t.mean_ms,
    t.max_ms,
    min(u.first_at) as first_timestamp_ms,
    max(u.last_at) as last_timestamp_ms
from tool_totals u
left join took t on t.name = u.name
group by u.name
