create view v1_tool_pairs as
-- One row per tool_use id in a session: a call and the result that answers it.
select
    p.tool_use_id,
    i.session_id,
    u.name, -- of the tool; NULL: the call was not seen
    ue.uuid as use_uuid,
    re.uuid as result_uuid,
    case
        when p.use is null then 'orphan_result'
        when p.result is null then 'pending'
        else 'paired'
    end as status, -- paired, pending, orphan_result
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error,
    p.duration_ms, -- from the call's instant to the result's; waiting for permission counts
    l.line_id, -- the call's; NULL: it was set aside
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
    ) as delayed, -- 1: on the line, prose or thinking stands between the two
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
    ) as interleaved, -- 1: so does a call of another response
    case
        when p.use is not null then max(1, (
            select count(distinct k.tool_use_id)
            from messages y
            join tool_uses k on k.entry = y.entry
            where y.response_id = m.response_id
        ))
    end as batch_size, -- calls in the same response
    m.response_id as message_id, -- of the response that made the call
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 6, instr(substr(u.name, 6), '__') - 1) end as mcp_server,
    case when u.name glob 'mcp__?*__?*' then substr(u.name, 7 + instr(substr(u.name, 6), '__')) end as mcp_tool,
    t.agent_id, -- whose call it is; NULL: the session's own
    coalesce(ue.timestamp, re.timestamp) as timestamp, -- of the call
    p.timestamp_ms,
    u.input, -- JSON
    json_extract(u.input, '$.command') as command, -- of a shell
    json_extract(u.input, '$.description') as description,
    coalesce(
        json_extract(u.input, '$.file_path'),
        json_extract(u.input, '$.notebook_path'),
        json_extract(u.input, '$.path'),
        json_extract(u.input, '$.abs_path')
    ) as path,
    json_extract(u.input, '$.pattern') as pattern, -- of a search in files
    json_extract(u.input, '$.query') as query, -- of a search in the web, or for tools
    json_extract(u.input, '$.url') as url,
    x.exit_code,
    x.is_interrupted,
    x.duration_ms as reported_ms, -- by the tool itself
    x.lines_added, -- by the structured patch
    x.lines_removed,
    p.outcome, -- pending, ok, error, refused (by the user), interrupted
    re.form as result_form, -- rejection, interrupt
    x.denial_kind, -- why the call was not allowed, as recorded: user-rejected, permission-rule, cancelled, ...
    w.set_aside_reason as set_aside, -- why the call is on no line
    x.status as reported_status -- of the result, as recorded
from tool_pairs p
join session_ids i on i.id = p.session
left join entries ue on ue.id = p.use
left join tool_uses u on u.entry = p.use and u.idx = p.use_idx
left join messages m on m.entry = p.use
left join entries re on re.id = p.result
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join tool_outcomes x on x.entry = p.result and not exists (
    -- what was recorded beside several results may be of any of them
    select 1 from tool_results y where y.entry = p.result and y.idx <> p.result_idx
)
left join placements w on w.entry = coalesce(p.use, p.result)
left join lines l on l.id = w.line
left join threads t on t.id = w.thread
left join placements v on v.entry = p.result
