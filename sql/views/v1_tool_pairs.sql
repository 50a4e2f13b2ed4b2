create view v1_tool_pairs as
-- One row per tool_use id in a session: a call and its result.
select
    k.tool_use_id, -- id of the call
    k.session_id, -- session that the call belongs to
    k.name, -- name of the tool; NULL if the call was not seen
    k.use_uuid, -- entry that contains the call
    k.result_uuid, -- entry that contains the result
    case
        when k.use is null then 'orphan_result'
        when k.result is null then 'pending'
        else 'paired'
    end as status, -- paired, pending or orphan_result
    k.is_error, -- 1 if the result is marked as an error; NULL if there is no result
    k.duration_ms, -- milliseconds from the call to the result, including time spent waiting for permission
    k.line_id, -- line that contains the call; NULL if the call was set aside
    coalesce(
        k.line = k.result_line
        and exists (
            select 1
            from placements b
            join owned_entries e on e.id = b.entry
            join blocks c on c.entry = b.entry
            where b.line = k.line
                and b.position > min(k.position, k.result_position)
                and b.position < max(k.position, k.result_position)
                and e.kind = 'assistant'
                and (c.type = 'thinking' or (c.type = 'text' and c.text <> ''))
        ),
        0
    ) as delayed, -- 1 if text or thinking comes between the call and the result on the line
    coalesce(
        k.line = k.result_line
        and exists (
            select 1
            from placements b
            join tool_uses c on c.entry = b.entry
            left join messages y on y.entry = b.entry
            where b.line = k.line
                and b.position > min(k.position, k.result_position)
                and b.position < max(k.position, k.result_position)
                and y.response_id is not k.message_id
        ),
        0
    ) as interleaved, -- 1 if a call from another response comes between the call and the result on the line
    case
        when k.use is not null then max(1, (
            select count(distinct c.tool_use_id)
            from messages y
            join tool_uses c on c.entry = y.entry
            where y.response_id = k.message_id
        ))
    end as batch_size, -- number of calls in the same response
    k.message_id, -- id of the response that contains the call
    case when k.name glob 'mcp__?*__?*' then substr(k.name, 6, instr(substr(k.name, 6), '__') - 1) end as mcp_server, -- name of the MCP server
    case when k.name glob 'mcp__?*__?*' then substr(k.name, 7 + instr(substr(k.name, 6), '__')) end as mcp_tool, -- name of the MCP tool
    k.agent_id, -- subagent that made the call; NULL for the session itself
    coalesce(
        (select o.timestamp from owned_entries o where o.id = k.use),
        (select o.timestamp from owned_entries o where o.id = k.result)
    ) as timestamp, -- recorded timestamp of the call, or of the result if the call has none
    k.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    (select u.input from tool_uses u where u.rowid = k.call) as input, -- input as JSON
    (select json_extract(u.input, '$.command') from tool_uses u where u.rowid = k.call) as command, -- command, from the input of a shell tool
    (select json_extract(u.input, '$.description') from tool_uses u where u.rowid = k.call) as description, -- description, from the input
    (
        select coalesce(
            json_extract(u.input, '$.file_path'),
            json_extract(u.input, '$.notebook_path'),
            json_extract(u.input, '$.path'),
            json_extract(u.input, '$.abs_path')
        )
        from tool_uses u
        where u.rowid = k.call
    ) as path, -- file or folder, from the input
    (select json_extract(u.input, '$.pattern') from tool_uses u where u.rowid = k.call) as pattern, -- pattern, from the input of a file search
    (select json_extract(u.input, '$.query') from tool_uses u where u.rowid = k.call) as query, -- query, from the input of a web search or tool search
    (select json_extract(u.input, '$.url') from tool_uses u where u.rowid = k.call) as url, -- URL, from the input
    (select x.exit_code from tool_outcomes x where x.entry = k.described_result) as exit_code, -- exit code of a shell command
    (select x.is_interrupted from tool_outcomes x where x.entry = k.described_result) as is_interrupted, -- 1 if the result was recorded as interrupted
    (select x.duration_ms from tool_outcomes x where x.entry = k.described_result) as reported_ms, -- duration in milliseconds, as reported by the tool
    (select x.lines_added from tool_outcomes x where x.entry = k.described_result) as lines_added, -- number of lines added, from the structured patch
    (select x.lines_removed from tool_outcomes x where x.entry = k.described_result) as lines_removed, -- number of lines removed, from the structured patch
    k.outcome, -- pending, ok, error, refused (by the user) or interrupted
    (select o.form from owned_entries o where o.id = k.result) as result_form, -- form of the result entry, such as rejection or interrupt
    (select x.denial_kind from tool_outcomes x where x.entry = k.described_result) as denial_kind, -- reason why the call was not allowed, as recorded: user-rejected, permission-rule, cancelled, ...
    k.set_aside_reason as set_aside, -- reason why the call is on no line; NULL if it is on one
    (select x.status from tool_outcomes x where x.entry = k.described_result) as reported_status -- status of the result as recorded
from (
    -- rule: delayed_result
    -- the ids and the small columns; see docs/contributing.md, "Add a view"
    select
        p.tool_use_id,
        i.session_id,
        u.name,
        u.rowid as call,
        p.use,
        p.result,
        ue.uuid as use_uuid,
        re.uuid as result_uuid,
        case when p.result is not null then coalesce(r.is_error, 0) end as is_error,
        p.duration_ms,
        l.line_id,
        w.line,
        w.position,
        v.line as result_line,
        v.position as result_position,
        m.response_id as message_id,
        t.agent_id,
        p.timestamp_ms,
        p.outcome,
        w.set_aside_reason,
        -- if an entry has several results, the transcript does not record which of them toolUseResult describes
        case when not exists (
            select 1 from tool_results y where y.entry = p.result and y.idx <> p.result_idx
        ) then p.result end as described_result
    from tool_pairs p
    join session_ids i on i.id = p.session
    left join entries ue on ue.id = p.use
    left join tool_uses u on u.entry = p.use and u.idx = p.use_idx
    left join messages m on m.entry = p.use
    left join entries re on re.id = p.result
    left join tool_results r on r.entry = p.result and r.idx = p.result_idx
    left join placements w on w.entry = coalesce(p.use, p.result)
    left join lines l on l.id = w.line
    left join threads t on t.id = w.thread
    left join placements v on v.entry = p.result
) k
