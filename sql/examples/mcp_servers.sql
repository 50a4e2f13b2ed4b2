-- MCP servers by number of calls.
-- group: Tools and files
select
    mcp_server,
    count(distinct mcp_tool) as tools,
    count(*) as calls,
    count(distinct session_id) as sessions,
    count(*) filter (where outcome = 'error') as failed,
    cast(round(avg(duration_ms)) as integer) as mean_ms,
    max(timestamp) as last_call
from v1_tool_pairs
where mcp_server is not null
group by mcp_server
order by calls desc, mcp_server
limit 20
