create view v1_attachments as
-- One row per attachment entry: hook results and errors, queued commands, reminders, listings, structured output.
select
    e.uuid,
    e.subtype as attachment_type, -- hook_success, async_hook_response, hook_non_blocking_error, queued_command, ...
    e.tool_use_id,
    json_extract(d.json, '$.attachment.hookEvent') as hook_event, -- PreToolUse, Stop, SessionStart, ...
    json_extract(d.json, '$.attachment.hookName') as hook_name,
    coalesce(
        json_extract(d.json, '$.attachment.command'), json_extract(d.json, '$.attachment.blockingError.command')
    ) as command, -- that the hook ran
    json_extract(d.json, '$.attachment.exitCode') as exit_code,
    json_extract(d.json, '$.attachment.durationMs') as duration_ms,
    json_extract(d.json, '$.attachment.stdout') as stdout,
    json_extract(d.json, '$.attachment.stderr') as stderr,
    json_extract(d.json, '$.attachment') as attachment, -- JSON; long texts cut
    e.text,
    case e.subtype
        when 'async_hook_response' then json_extract(d.json, '$.attachment.response')
    end as hook_response, -- JSON: what an asynchronous hook answered
    case e.subtype
        when 'hook_blocking_error' then coalesce(
            json_extract(d.json, '$.attachment.blockingError.blockingError'),
            json_extract(d.json, '$.attachment.blockingError')
        )
        when 'hook_non_blocking_error' then coalesce(
            nullif(json_extract(d.json, '$.attachment.stderr'), ''), json_extract(d.json, '$.attachment.stdout')
        )
        when 'hook_error_during_execution' then json_extract(d.json, '$.attachment.content')
    end as hook_error, -- what a hook that failed or blocked said
    case e.subtype
        when 'structured_output' then json_extract(d.json, '$.attachment.data')
    end as structured_output, -- the result in the form that was asked for; objects as JSON
    i.session_id,
    e.timestamp
from owned_entries e
join session_ids i on i.id = e.session
left join extra_json d on d.id = e.details
where e.type = 'attachment'
