create view v1_progress as
-- One row per progress entry: hooks, shell output, subagents, MCP servers at work.
select
    e.uuid,
    e.subtype as progress_type, -- bash_progress, hook_progress, agent_progress, mcp_progress, ...
    e.tool_use_id,
    e.parent_tool_use_id,
    e.named_agent_id as agent_id, -- of agent_progress
    json_extract(d.json, '$.data.hookEvent') as hook_event,
    json_extract(d.json, '$.data.hookName') as hook_name,
    json_extract(d.json, '$.data.command') as command,
    json_extract(d.json, '$.data.serverName') as mcp_server,
    json_extract(d.json, '$.data.toolName') as mcp_tool,
    json_extract(d.json, '$.data.status') as status,
    json_extract(d.json, '$.data.elapsedTimeSeconds') as elapsed_seconds,
    json_extract(d.json, '$.data.totalLines') as total_lines,
    json_extract(d.json, '$.data') as data, -- JSON; output and wrapped messages left out
    e.text -- of the message that agent_progress wraps
from entries e
left join extra_json d on d.id = e.details
where e.type = 'progress' and e.occurrence is not null
