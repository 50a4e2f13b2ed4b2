create view v1_attachments as
-- One row per attachment entry: hook results, queued commands, reminders, listings.
select
    e.uuid,
    e.subtype as attachment_type, -- hook_success, queued_command, task_reminder, ...
    e.tool_use_id,
    json_extract(d.json, '$.attachment.hookEvent') as hook_event,
    json_extract(d.json, '$.attachment.hookName') as hook_name,
    json_extract(d.json, '$.attachment.command') as command,
    json_extract(d.json, '$.attachment.exitCode') as exit_code,
    json_extract(d.json, '$.attachment.durationMs') as duration_ms,
    json_extract(d.json, '$.attachment.stdout') as stdout,
    json_extract(d.json, '$.attachment.stderr') as stderr,
    json_extract(d.json, '$.attachment') as attachment, -- JSON; long texts cut
    e.text
from entries e
left join details d on d.id = e.details
where e.type = 'attachment' and e.occurrence is not null
