create view v1_system_events as
-- One row per system entry, such as a compaction, a stop hook summary, a turn duration, an API error or a command.
select
    e.uuid, -- uuid of the entry
    e.subtype, -- subtype as recorded, such as compact_boundary or api_error
    json_extract(d.json, '$.level') as level, -- level as recorded, such as info or error
    e.text as content, -- text of the entry
    json_extract(d.json, '$.durationMs') as duration_ms, -- duration in milliseconds, for example of a turn
    json_extract(d.json, '$.messageCount') as message_count, -- number of messages as recorded
    json_extract(d.json, '$.compactMetadata.trigger') as compact_trigger, -- auto or manual, for a compaction
    json_extract(d.json, '$.compactMetadata.preTokens') as compact_pre_tokens, -- tokens in the context before a compaction
    json_extract(d.json, '$.compactMetadata.postTokens') as compact_post_tokens, -- tokens in the context after a compaction
    json_extract(d.json, '$.hookCount') as hook_count, -- number of hooks that ran
    json_extract(d.json, '$.hookInfos') as hooks, -- hooks that ran, as JSON
    json_extract(d.json, '$.hookErrors') as hook_errors, -- hook errors as JSON
    json_extract(d.json, '$.preventedContinuation') as prevented_continuation, -- 1 if a hook prevented Claude from continuing
    json_extract(d.json, '$.stopReason') as stop_reason, -- reason why a hook stopped Claude
    json_extract(d.json, '$.error') as error, -- API error as JSON
    json_extract(d.json, '$.retryAttempt') as retry_attempt, -- number of the retry after an API error
    json_extract(d.json, '$.maxRetries') as max_retries, -- maximum number of retries
    d.json as details -- further recorded keys as JSON, the same as details in v1_entries
from owned_entries e
left join extra_json d on d.id = e.details
where e.type = 'system'
