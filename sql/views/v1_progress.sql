create view v1_progress as
-- One row per progress entry: a report from a running hook, shell command, subagent or MCP server.
select
    e.uuid, -- uuid of the entry
    e.subtype as progress_type, -- bash_progress, hook_progress, agent_progress, mcp_progress, ...
    e.tool_use_id, -- tool call that the report is about
    e.parent_tool_use_id, -- outer tool call
    e.named_agent_id as agent_id, -- subagent that an agent_progress entry is about
    json_extract(d.json, '$.data.hookEvent') as hook_event, -- event that triggered the hook: PreToolUse, Stop, SessionStart, ...
    json_extract(d.json, '$.data.hookName') as hook_name, -- name of the hook
    json_extract(d.json, '$.data.command') as command, -- command that the hook runs
    json_extract(d.json, '$.data.serverName') as mcp_server, -- name of the MCP server
    json_extract(d.json, '$.data.toolName') as mcp_tool, -- name of the MCP tool
    json_extract(d.json, '$.data.status') as status, -- status as recorded
    json_extract(d.json, '$.data.elapsedTimeSeconds') as elapsed_seconds, -- running time so far in seconds
    json_extract(d.json, '$.data.totalLines') as total_lines, -- number of output lines so far
    json_extract(d.json, '$.data') as data, -- the report as JSON, excluding output and wrapped messages
    e.text -- text of the message that an agent_progress entry wraps
from entries e
left join extra_json d on d.id = e.details
where e.type = 'progress' and e.occurrence is not null
