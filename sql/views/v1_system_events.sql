create view v1_system_events as
-- One row per system entry: compactions, stop hooks, turn durations, API errors, local commands.
select
    e.uuid,
    e.subtype,
    json_extract(d.json, '$.level') as level,
    e.text as content,
    json_extract(d.json, '$.durationMs') as duration_ms,
    json_extract(d.json, '$.messageCount') as message_count,
    json_extract(d.json, '$.compactMetadata.trigger') as compact_trigger,
    json_extract(d.json, '$.compactMetadata.preTokens') as compact_pre_tokens,
    json_extract(d.json, '$.compactMetadata.postTokens') as compact_post_tokens,
    json_extract(d.json, '$.hookCount') as hook_count,
    json_extract(d.json, '$.hookInfos') as hooks, -- JSON
    json_extract(d.json, '$.hookErrors') as hook_errors, -- JSON
    json_extract(d.json, '$.preventedContinuation') as prevented_continuation,
    json_extract(d.json, '$.stopReason') as stop_reason,
    json_extract(d.json, '$.error') as error, -- JSON
    json_extract(d.json, '$.retryAttempt') as retry_attempt,
    json_extract(d.json, '$.maxRetries') as max_retries,
    d.json as details -- JSON
from entries e
left join extra_json d on d.id = e.details
where e.type = 'system' and e.occurrence is not null
