create view v1_tools as
-- One row per tool: how often it was called, and how that went.
select
    name,
    mcp_server,
    count(*) as calls,
    count(distinct session_id) as sessions,
    coalesce(sum(is_error), 0) as errors, -- calls that the user rejected too
    sum(coalesce(result_form = 'rejection', 0)) as rejections,
    sum(status = 'pending') as pending,
    cast(round(avg(duration_ms)) as integer) as mean_ms,
    max(duration_ms) as max_ms,
    min(timestamp_ms) as first_timestamp_ms,
    max(timestamp_ms) as last_timestamp_ms
from v1_tool_pairs
where name is not null
group by name, mcp_server
