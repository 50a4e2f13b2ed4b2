create view v1_tool_pairs as
-- One row per tool_use id in a session: a call and its result.
select
    p.tool_use_id, -- id of the call
    i.session_id, -- session that the call belongs to
    u.name, -- name of the tool; NULL if the call was not seen
    ue.uuid as use_uuid, -- entry that contains the call
    re.uuid as result_uuid, -- entry that contains the result
    case
        when p.use is null then 'orphan_result'
        when p.result is null then 'pending'
        else 'paired'
    end as status, -- paired, pending or orphan_result
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error, -- 1 if the result is marked as an error; NULL if there is no result
    p.duration_ms, -- milliseconds from the call to the result, including time spent waiting for permission
    l.line_id, -- line that contains the call; NULL if the call was set aside
    coalesce(
        w.line = v.line
        and exists (
            select 1
            from placements b
            join entries e on e.id = b.entry
            join blocks k on k.entry = b.entry
            where b.line = w.line
                and b.position > min(w.position, v.position)
                and b.position < max(w.position, v.position)
                and e.kind = 'assistant'
                and (k.type = 'thinking' or (k.type = 'text' and k.text <> ''))
        ),
        0
    ) as delayed, -- 1 if text or thinking comes between the call and the result on the line
    coalesce(
        w.line = v.line
        and exists (
            select 1
            from placements b
            join tool_uses k on k.entry = b.entry
            left join messages y on y.entry = b.entry
            where b.line = w.line
                and b.position > min(w.position, v.position)
                and b.position < max(w.position, v.position)
                and y.response_id is not m.response_id
        ),
        0
    ) as interleaved, -- 1 if a call from another response comes between the call and the result on the line
    case
        when p.use is not null then max(1, (
            select count(distinct k.tool_use_id)
            from messages y
            join tool_uses k on k.entry = y.entry
            where y.response_id = m.response_id
        ))
    end as batch_size, -- number of calls in the same response
    m.response_id as message_id, -- id of the response that contains the call
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 6, instr(substr(u.name, 6), '__') - 1) end as mcp_server, -- name of the MCP server
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 7 + instr(substr(u.name, 6), '__')) end as mcp_tool, -- name of the MCP tool
    t.agent_id, -- subagent that made the call; NULL for the session itself
    coalesce(ue.timestamp, re.timestamp) as timestamp, -- recorded timestamp of the call, or of the result if the call has none
    p.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    u.input, -- input as JSON
    json_extract(u.input, '$.command') as command, -- command, from the input of a shell tool
    json_extract(u.input, '$.description') as description, -- description, from the input
    coalesce(
        json_extract(u.input, '$.file_path'),
        json_extract(u.input, '$.notebook_path'),
        json_extract(u.input, '$.path'),
        json_extract(u.input, '$.abs_path')
    ) as path, -- file or folder, from the input
    json_extract(u.input, '$.pattern') as pattern, -- pattern, from the input of a file search
    json_extract(u.input, '$.query') as query, -- query, from the input of a web search or tool search
    json_extract(u.input, '$.url') as url, -- URL, from the input
    x.exit_code, -- exit code of a shell command
    x.is_interrupted, -- 1 if the result was recorded as interrupted
    x.duration_ms as reported_ms, -- duration in milliseconds, as reported by the tool
    x.lines_added, -- number of lines added, from the structured patch
    x.lines_removed, -- number of lines removed, from the structured patch
    p.outcome, -- pending, ok, error, refused (by the user) or interrupted
    re.form as result_form, -- form of the result entry, such as rejection or interrupt
    x.denial_kind, -- reason why the call was not allowed, as recorded: user-rejected, permission-rule, cancelled, ...
    w.set_aside_reason as set_aside, -- reason why the call is on no line; NULL if it is on one
    x.status as reported_status -- status of the result as recorded
from tool_pairs p
-- rule: delayed_result
join session_ids i on i.id = p.session
left join entries ue on ue.id = p.use
left join tool_uses u on u.entry = p.use and u.idx = p.use_idx
left join messages m on m.entry = p.use
left join entries re on re.id = p.result
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join tool_outcomes x on x.entry = p.result and not exists (
    -- if an entry has several results, the transcript does not record which of them toolUseResult describes
    select 1 from tool_results y where y.entry = p.result and y.idx <> p.result_idx
)
left join placements w on w.entry = coalesce(p.use, p.result)
left join lines l on l.id = w.line
left join threads t on t.id = w.thread
left join placements v on v.entry = p.result
