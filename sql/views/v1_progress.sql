create view v1_progress as
-- One row per progress entry: a report from a running hook, shell command, subagent or MCP server.
select
    k.uuid, -- uuid of the entry
    k.progress_type, -- bash_progress, hook_progress, agent_progress, mcp_progress, ...
    k.tool_use_id, -- tool call that the report is about
    k.parent_tool_use_id, -- outer tool call
    k.agent_id, -- subagent that an agent_progress entry is about
    (select json_extract(d.json, '$.data.hookEvent') from extra_json d where d.id = k.details) as hook_event, -- event that triggered the hook: PreToolUse, Stop, SessionStart, ...
    (select json_extract(d.json, '$.data.hookName') from extra_json d where d.id = k.details) as hook_name, -- name of the hook
    (select json_extract(d.json, '$.data.command') from extra_json d where d.id = k.details) as command, -- command that the hook runs
    (select json_extract(d.json, '$.data.serverName') from extra_json d where d.id = k.details) as mcp_server, -- name of the MCP server
    (select json_extract(d.json, '$.data.toolName') from extra_json d where d.id = k.details) as mcp_tool, -- name of the MCP tool
    (select json_extract(d.json, '$.data.status') from extra_json d where d.id = k.details) as status, -- status as recorded
    (select json_extract(d.json, '$.data.elapsedTimeSeconds') from extra_json d where d.id = k.details) as elapsed_seconds, -- running time so far in seconds
    (select json_extract(d.json, '$.data.totalLines') from extra_json d where d.id = k.details) as total_lines, -- number of output lines so far
    (select json_extract(d.json, '$.data') from extra_json d where d.id = k.details) as data, -- the report as JSON, excluding output and wrapped messages
    (select e.text from entries e where e.id = k.id) as text -- text of the message that an agent_progress entry wraps
from (
    -- the ids and the small columns; see docs/contributing.md, "Add a view"
    select
        e.id,
        e.uuid,
        t.subtype as progress_type,
        cast(iif(e.tool_use_id = '', e.parent_tool_use_id, e.tool_use_id) as text) as tool_use_id,
        e.parent_tool_use_id,
        e.named_agent_id as agent_id,
        e.details
    from entries e
    cross join entry_traits t on t.id = e.traits -- cross: start with the entries
    where t.type = 'progress' and e.occurrence is not null
) k
