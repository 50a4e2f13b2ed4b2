create view v1_entries as
-- One row per entry, that is, per distinct uuid, with the content of its owning occurrence.
select
    k.uuid, -- uuid of the entry
    k.session_id, -- session that the owning occurrence belongs to
    k.line_id, -- line that contains the entry; NULL if the entry was set aside
    k.position, -- position on the line, from 0
    k.type, -- type as recorded: user, assistant, system, progress, attachment, ...
    k.subtype, -- subtype of a system entry, data.type of a progress entry, attachment.type of an attachment
    k.kind, -- role in the graph: assistant, result, prompt, boundary or side
    k.is_typed, -- 1 if a person typed the text or, in a subagent's thread, if the calling agent wrote it
    iif(k.timestamp = '', strftime('%Y-%m-%dT%H:%M:%fZ', k.timestamp_ms / 1000.0, 'unixepoch'), k.timestamp) as timestamp, -- timestamp as recorded
    k.timestamp_ms, -- timestamp in milliseconds since the Unix epoch, taken from a neighbouring object if none was recorded
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = k.id and l.kind = 'parent'
    ) as recorded_parent_uuid, -- parent as recorded
    k.parent_uuid, -- effective parent; for a subagent's first entry, the spawning entry; NULL if there is no parent, it was never seen, or the link was cut to break a cycle
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = k.id and l.kind = 'logical'
    ) as logical_parent_uuid, -- logical parent as recorded; it connects a compact boundary to the entry before the boundary
    k.is_sidechain, -- 1 if recorded as part of a sidechain
    k.is_meta, -- 1 if recorded as meta: text that Claude Code inserted
    k.agent_id, -- subagent that the entry belongs to; NULL for the session itself, and for subagents that were recorded without an id
    k.message_id, -- id of the API message
    k.request_id, -- id of the API request
    k.model, -- model that wrote the message
    k.stop_reason, -- reason why the model stopped
    (select c.version from entry_contexts c where c.id = k.context) as version, -- version of Claude Code
    (select c.cwd from entry_contexts c where c.id = k.context) as cwd, -- working directory
    (select c.git_branch from entry_contexts c where c.id = k.context) as git_branch, -- git branch that was checked out
    k.project, -- name of the project folder
    k.source_path, -- file that contains the owning occurrence
    k.line_no, -- line number in that file, from 1
    nullif(coalesce((select x.text from entries x where x.id = k.id), (
        select group_concat(piece, char(10))
        from (
            select coalesce(b.text, u.input) as piece
            from blocks b
            left join tool_uses u on u.entry = b.entry and u.idx = b.idx
            where b.entry = k.id
            order by b.idx
        )
    )), '') as text, -- searchable plain text; NULL if there is none
    k.form, -- form of the entry, more specific than kind: typed, slash_command, command_output, interrupt, notification, hook, ...
    k.is_command, -- 1 for a slash command, a shell command or a memory note, and for the caveat or output of a command
    k.is_compact_summary, -- 1 for the summary after a compaction
    k.is_api_error, -- 1 if the entry reports an API error
    k.is_active, -- active flag as recorded; NULL if not recorded
    (select c.slug from entry_contexts c where c.id = k.context) as slug, -- slug that Claude Code assigned to the session
    (select c.entrypoint from entry_contexts c where c.id = k.context) as entrypoint, -- how Claude Code was started
    (select c.user_type from entry_contexts c where c.id = k.context) as user_type, -- user type as recorded
    (select c.team_name from entry_contexts c where c.id = k.context) as team_name, -- team of a teammate
    k.tool_use_id, -- tool call that a progress, hook or system entry belongs to
    k.parent_tool_use_id, -- outer tool call of a progress entry
    (
        select case x.source_assistant_uuid
            when '' then (
                select p.uuid
                from edges l
                join entries p on p.id = l.parent
                where l.child = x.id and l.kind = 'parent'
            )
            else x.source_assistant_uuid
        end
        from entries x
        where x.id = k.id
    ) as source_assistant_uuid, -- entry that contains the call, as recorded in the result entry
    (select json_extract(d.json, '$.promptId') from extra_json d where d.id = k.details) as prompt_id, -- id of the prompt that the entry belongs to
    (select json_extract(d.json, '$.permissionMode') from extra_json d where d.id = k.details) as permission_mode, -- permission mode at that time
    (select json_extract(d.json, '$.thinkingMetadata') from extra_json d where d.id = k.details) as thinking, -- thinking settings as JSON: level, disabled, maxThinkingTokens, triggers
    (select json_extract(d.json, '$.todos') from extra_json d where d.id = k.details) as todos, -- todo list at that time, as JSON
    (select json_extract(d.json, '$.planContent') from extra_json d where d.id = k.details) as plan, -- plan that the session was started with
    (select json_extract(d.json, '$.sourceToolUseID') from extra_json d where d.id = k.details) as source_tool_use_id, -- tool call that produced the entry, as recorded
    (select json_extract(d.json, '$.isVisibleInTranscriptOnly') from extra_json d where d.id = k.details) as is_transcript_only, -- 1 if recorded as visible only in the transcript
    (select json_extract(d.json, '$.effort') from extra_json d where d.id = k.details) as effort, -- effort level as recorded
    (select json_extract(d.json, '$.advisorModel') from extra_json d where d.id = k.details) as advisor_model, -- advisor model as recorded
    (select d.json from extra_json d where d.id = k.details) as details, -- further recorded keys as JSON, with long strings shortened; the columns from prompt_id to advisor_model are extracted from it
    k.revision -- index revision in which the entry last changed
from (
    -- the ids and the small columns; see docs/contributing.md, "Add a view"
    select
        e.id,
        e.uuid,
        i.session_id,
        l.line_id,
        w.position,
        t.type,
        t.subtype,
        t.kind,
        t.form,
        t.is_typed,
        t.is_command,
        t.is_sidechain,
        t.is_meta,
        t.is_compact_summary,
        t.is_api_error,
        t.is_active,
        e.timestamp,
        o.timestamp_ms,
        q.uuid as parent_uuid,
        cast(coalesce(e.agent_id, case when s.role = 'agent' then s.agent_id end) as text) as agent_id,
        cast(iif(m.message_id = '', m.response_id, m.message_id) as text) as message_id,
        m.request_id,
        m.model,
        m.stop_reason,
        e.context,
        s.project,
        s.path as source_path,
        o.line_no,
        cast(iif(e.tool_use_id = '', e.parent_tool_use_id, e.tool_use_id) as text) as tool_use_id,
        e.parent_tool_use_id,
        e.details,
        e.revision
    from entries e
    join occurrences o on o.id = e.occurrence and o.entry = e.id -- both conditions, so that SQLite can start with either table
    join session_ids i on i.id = o.session
    left join sources s on s.id = o.source
    left join entry_traits t on t.id = e.traits
    left join messages m on m.entry = e.id and m.is_wrapped = 0
    left join placements w on w.entry = e.id
    left join lines l on l.id = w.line
    left join entries q on q.id = w.effective_parent
    where e.occurrence is not null
) k
