create view v1_attachments as
-- One row per attachment entry, such as a hook result or error, a queued command, a reminder or structured output.
select
    e.uuid, -- uuid of the entry
    e.subtype as attachment_type, -- hook_success, async_hook_response, hook_non_blocking_error, queued_command, ...
    e.tool_use_id, -- tool call that the attachment belongs to
    json_extract(d.json, '$.attachment.hookEvent') as hook_event, -- event that triggered the hook: PreToolUse, Stop, SessionStart, ...
    json_extract(d.json, '$.attachment.hookName') as hook_name, -- name of the hook
    coalesce(
        json_extract(d.json, '$.attachment.command'), json_extract(d.json, '$.attachment.blockingError.command')
    ) as command, -- command that the hook ran
    json_extract(d.json, '$.attachment.exitCode') as exit_code, -- exit code of the hook
    json_extract(d.json, '$.attachment.durationMs') as duration_ms, -- duration of the hook in milliseconds
    json_extract(d.json, '$.attachment.stdout') as stdout, -- standard output of the hook
    json_extract(d.json, '$.attachment.stderr') as stderr, -- standard error of the hook
    json_extract(d.json, '$.attachment') as attachment, -- the whole attachment as JSON, with long strings shortened
    e.text, -- text of the attachment
    case e.subtype
        when 'async_hook_response' then json_extract(d.json, '$.attachment.response')
    end as hook_response, -- response of an asynchronous hook, as JSON
    case e.subtype
        when 'hook_blocking_error' then coalesce(
            json_extract(d.json, '$.attachment.blockingError.blockingError'),
            json_extract(d.json, '$.attachment.blockingError')
        )
        when 'hook_non_blocking_error' then coalesce(
            nullif(json_extract(d.json, '$.attachment.stderr'), ''), json_extract(d.json, '$.attachment.stdout')
        )
        when 'hook_error_during_execution' then json_extract(d.json, '$.attachment.content')
    end as hook_error, -- error message of a hook that failed or blocked an action
    case e.subtype
        when 'structured_output' then json_extract(d.json, '$.attachment.data')
    end as structured_output, -- structured output; objects and arrays are JSON
    i.session_id, -- session that the entry belongs to
    e.timestamp -- timestamp as recorded
from owned_entries e
join session_ids i on i.id = e.session
left join extra_json d on d.id = e.details
where e.type = 'attachment'
