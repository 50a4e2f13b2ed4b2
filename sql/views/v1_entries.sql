create view v1_entries as
-- One row per distinct uuid, with what the copy that owns it says.
select
    e.uuid,
    i.session_id, -- the owner's
    l.line_id, -- NULL: it was set aside
    w.position, -- in the line, from 0
    e.type,
    e.subtype, -- of a system entry; data.type of progress; attachment.type of an attachment
    e.kind, -- assistant, result, prompt, boundary, side
    e.is_typed, -- 1: a prompt's own words; in an agent's thread those are the spawner's, not a person's
    e.timestamp, -- as recorded
    o.timestamp_ms, -- its instant in UTC, a neighbour's if it has none
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = e.id and l.kind = 'parent'
    ) as recorded_parent_uuid,
    q.uuid as parent_uuid, -- the effective one: an agent's is the entry that spawned it; NULL: none, or not seen yet
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = e.id and l.kind = 'logical'
    ) as logical_parent_uuid,
    e.is_sidechain,
    e.is_meta,
    coalesce(e.agent_id, case when s.role = 'agent' then s.agent_id end) as agent_id,
    m.message_id,
    m.request_id,
    m.model,
    m.stop_reason,
    c.version,
    c.cwd,
    c.git_branch,
    s.project,
    s.path as source_path,
    o.line_no,
    nullif(coalesce(e.text, (
        select group_concat(words, char(10))
        from (
            select coalesce(b.text, u.input) as words
            from blocks b
            left join tool_uses u on u.entry = b.entry and u.idx = b.idx
            where b.entry = e.id
            order by b.idx
        )
    )), '') as text, -- searchable plain text
    e.form, -- what a person would call it: typed, slash_command, command_output, interrupt, notification, hook, ...
    e.is_command, -- 1: a slash or shell command, its caveat or its output
    e.is_compact_summary,
    e.is_api_error,
    e.is_active, -- NULL: not recorded
    c.slug,
    c.entrypoint,
    c.user_type,
    c.team_name,
    e.tool_use_id, -- that a progress, hook or system entry belongs to
    e.parent_tool_use_id,
    e.source_assistant_uuid, -- the call's entry, named by a result
    json_extract(d.json, '$.promptId') as prompt_id,
    json_extract(d.json, '$.permissionMode') as permission_mode,
    json_extract(d.json, '$.thinkingMetadata') as thinking, -- JSON: level, disabled, maxThinkingTokens, triggers
    json_extract(d.json, '$.todos') as todos, -- JSON: the todo list at that time
    json_extract(d.json, '$.planContent') as plan,
    json_extract(d.json, '$.sourceToolUseID') as source_tool_use_id,
    json_extract(d.json, '$.isVisibleInTranscriptOnly') as is_transcript_only,
    json_extract(d.json, '$.effort') as effort,
    json_extract(d.json, '$.advisorModel') as advisor_model,
    d.json as details, -- JSON of every recorded key without a column; long texts cut
    e.revision -- the index's revision in which it last changed
from entries e
join occurrences o on o.id = e.occurrence and o.entry = e.id -- both: found from either side
join session_ids i on i.id = o.session
left join sources s on s.id = o.source
left join entry_contexts c on c.id = e.context
left join extra_json d on d.id = e.details
left join messages m on m.entry = e.id and m.is_wrapped = 0
left join placements w on w.entry = e.id
left join lines l on l.id = w.line
left join entries q on q.id = w.effective_parent
where e.occurrence is not null
