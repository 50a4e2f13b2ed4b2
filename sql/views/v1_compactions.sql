create view v1_compactions as
-- One row per compact boundary: the point where a summary replaced the conversation so far.
select
    e.uuid, -- uuid of the boundary
    i.session_id, -- session that the boundary belongs to
    l.line_id, -- line that contains the boundary; NULL if the boundary was set aside
    c.trigger, -- auto or manual
    c.pre_tokens, -- tokens in the context before the compaction
    c.post_tokens, -- tokens in the context after the compaction
    (
        select p.uuid
        from edges g
        join entries p on p.id = g.parent
        where g.child = e.id and g.kind = 'logical'
    ) as logical_parent_uuid, -- logical parent of the boundary, as recorded
    y.uuid as summary_uuid, -- entry that contains the summary
    e.timestamp, -- timestamp as recorded
    e.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    'Conversation compacted'
    || case
        when c.pre_tokens is null then ''
        when c.pre_tokens < 1000 then ' (' || c.pre_tokens || ' tokens)'
        else ' (' || (c.pre_tokens / 1000) || 'k tokens)'
    end
    || ' • '
    || strftime('%Y-%m-%d %H:%M:%S', coalesce(
        (select o.timestamp_ms from owned_entries o where o.id = c.summary), e.timestamp_ms
    ) / 1000.0, 'unixepoch') as label, -- heading for display, with the time of the summary in UTC
    c.duration_ms, -- duration of the compaction in milliseconds; NULL if not recorded
    c.dropped_tokens -- tokens dropped by this and all earlier compactions in the session; NULL if not recorded
from (
    -- rule: compaction_summary, compaction_label
    select
        x.id,
        case when json_type(d.json, '$.compactMetadata.trigger') = 'text'
            then json_extract(d.json, '$.compactMetadata.trigger') end as trigger,
        case when json_type(d.json, '$.compactMetadata.preTokens') in ('integer', 'real')
            and cast(json_extract(d.json, '$.compactMetadata.preTokens') as integer)
            = json_extract(d.json, '$.compactMetadata.preTokens')
            then cast(json_extract(d.json, '$.compactMetadata.preTokens') as integer) end as pre_tokens,
        case when json_type(d.json, '$.compactMetadata.postTokens') in ('integer', 'real')
            and cast(json_extract(d.json, '$.compactMetadata.postTokens') as integer)
            = json_extract(d.json, '$.compactMetadata.postTokens')
            then cast(json_extract(d.json, '$.compactMetadata.postTokens') as integer) end as post_tokens,
        case when json_type(d.json, '$.compactMetadata.durationMs') in ('integer', 'real')
            and cast(json_extract(d.json, '$.compactMetadata.durationMs') as integer)
            = json_extract(d.json, '$.compactMetadata.durationMs')
            then cast(json_extract(d.json, '$.compactMetadata.durationMs') as integer) end as duration_ms,
        case when json_type(d.json, '$.compactMetadata.cumulativeDroppedTokens') in ('integer', 'real')
            and cast(json_extract(d.json, '$.compactMetadata.cumulativeDroppedTokens') as integer)
            = json_extract(d.json, '$.compactMetadata.cumulativeDroppedTokens')
            then cast(json_extract(d.json, '$.compactMetadata.cumulativeDroppedTokens') as integer) end as dropped_tokens,
        (
            select k.entry
            from placements k
            join owned_entries q on q.id = k.entry
            join sources ks on ks.id = q.source
            where k.effective_parent = x.id and q.is_compact_summary
            order by q.timestamp_ms, ks.path, q.generation, q.offset
            limit 1
        ) as summary
    from owned_entries x
    left join extra_json d on d.id = x.details and json_valid(d.json)
    where x.kind = 'boundary'
) c
join owned_entries e on e.id = c.id
join session_ids i on i.id = e.session
left join placements w on w.entry = e.id
left join lines l on l.id = w.line
left join entries y on y.id = c.summary
