create view v1_entries as
-- One row per entry, that is, per distinct uuid, with the content of its owning occurrence.
select
    e.uuid, -- uuid of the entry
    i.session_id, -- session that the owning occurrence belongs to
    l.line_id, -- line that contains the entry; NULL if the entry was set aside
    w.position, -- position on the line, from 0
    e.type, -- type as recorded: user, assistant, system, progress, attachment, ...
    e.subtype, -- subtype of a system entry, data.type of a progress entry, attachment.type of an attachment
    e.kind, -- role in the graph: assistant, result, prompt, boundary or side
    e.is_typed, -- 1 if a person typed the text or, in a subagent's thread, if the calling agent wrote it
    e.timestamp, -- timestamp as recorded
    o.timestamp_ms, -- timestamp in milliseconds since the Unix epoch, taken from a neighbouring object if none was recorded
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = e.id and l.kind = 'parent'
    ) as recorded_parent_uuid, -- parent as recorded
    q.uuid as parent_uuid, -- effective parent; for a subagent's first entry, the spawning entry; NULL if there is no parent, it was never seen, or the link was cut to break a cycle
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = e.id and l.kind = 'logical'
    ) as logical_parent_uuid, -- logical parent as recorded; it connects a compact boundary to the entry before the boundary
    e.is_sidechain, -- 1 if recorded as part of a sidechain
    e.is_meta, -- 1 if recorded as meta: text that Claude Code inserted
    coalesce(e.agent_id, case when s.role = 'agent' then s.agent_id end) as agent_id, -- subagent that the entry belongs to; NULL for the session itself, and for subagents that were recorded without an id
    m.message_id, -- id of the API message
    m.request_id, -- id of the API request
    m.model, -- model that wrote the message
    m.stop_reason, -- reason why the model stopped
    c.version, -- version of Claude Code
    c.cwd, -- working directory
    c.git_branch, -- git branch that was checked out
    s.project, -- name of the project folder
    s.path as source_path, -- file that contains the owning occurrence
    o.line_no, -- line number in that file, from 1
    nullif(coalesce(e.text, (
        select group_concat(piece, char(10))
        from (
            select coalesce(b.text, u.input) as piece
            from blocks b
            left join tool_uses u on u.entry = b.entry and u.idx = b.idx
            where b.entry = e.id
            order by b.idx
        )
    )), '') as text, -- searchable plain text; NULL if there is none
    e.form, -- form of the entry, more specific than kind: typed, slash_command, command_output, interrupt, notification, hook, ...
    e.is_command, -- 1 for a slash command, a shell command or a memory note, and for the caveat or output of a command
    e.is_compact_summary, -- 1 for the summary after a compaction
    e.is_api_error, -- 1 if the entry reports an API error
    e.is_active, -- active flag as recorded; NULL if not recorded
    c.slug, -- slug that Claude Code assigned to the session
    c.entrypoint, -- how Claude Code was started
    c.user_type, -- user type as recorded
    c.team_name, -- team of a teammate
    e.tool_use_id, -- tool call that a progress, hook or system entry belongs to
    e.parent_tool_use_id, -- outer tool call of a progress entry
    e.source_assistant_uuid, -- entry that contains the call, as recorded in the result entry
    json_extract(d.json, '$.promptId') as prompt_id, -- id of the prompt that the entry belongs to
    json_extract(d.json, '$.permissionMode') as permission_mode, -- permission mode at that time
    json_extract(d.json, '$.thinkingMetadata') as thinking, -- thinking settings as JSON: level, disabled, maxThinkingTokens, triggers
    json_extract(d.json, '$.todos') as todos, -- todo list at that time, as JSON
    json_extract(d.json, '$.planContent') as plan, -- plan that the session was started with
    json_extract(d.json, '$.sourceToolUseID') as source_tool_use_id, -- tool call that produced the entry, as recorded
    json_extract(d.json, '$.isVisibleInTranscriptOnly') as is_transcript_only, -- 1 if recorded as visible only in the transcript
    json_extract(d.json, '$.effort') as effort, -- effort level as recorded
    json_extract(d.json, '$.advisorModel') as advisor_model, -- advisor model as recorded
    d.json as details, -- further recorded keys as JSON, with long strings shortened; the columns from prompt_id to advisor_model are extracted from it
    e.revision -- index revision in which the entry last changed
from entries e
join occurrences o on o.id = e.occurrence and o.entry = e.id -- both conditions, so that SQLite can start with either table
join session_ids i on i.id = o.session
left join sources s on s.id = o.source
left join entry_contexts c on c.id = e.context
left join extra_json d on d.id = e.details
left join messages m on m.entry = e.id and m.is_wrapped = 0
left join placements w on w.entry = e.id
left join lines l on l.id = w.line
left join entries q on q.id = w.effective_parent
where e.occurrence is not null
