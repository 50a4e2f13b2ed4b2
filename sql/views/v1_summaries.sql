create view v1_summaries as
-- One row per summary or title record.
select
    session_id, -- session of the leaf, regardless of which file contains the record; session of the record if it has no leaf; NULL if the leaf was never seen
    leaf_uuid, -- entry that the record refers to
    case when typeof(text) = 'text' then nullif(text, '') end as text, -- the summary, title, name or prompt
    kind, -- summary, ai-title, custom-title, agent-name or last-prompt
    source_path, -- file that contains the record
    line_no -- line number in that file, from 1
from (
    -- rule: summary_session
    select
        cast(case
            when r.leaf is null then i.session_id
            else (
                select x.session_id
                from owned_entries e
                join session_ids x on x.id = e.session
                where e.uuid = r.leaf
            )
        end as text) as session_id,
        r.leaf as leaf_uuid,
        case o.type
            when 'summary' then json_extract(r.payload, '$.summary')
            when 'ai-title' then json_extract(r.payload, '$.aiTitle')
            when 'custom-title' then json_extract(r.payload, '$.customTitle')
            when 'agent-name' then json_extract(r.payload, '$.agentName')
            else json_extract(r.payload, '$.lastPrompt')
        end as text,
        o.type as kind,
        s.path as source_path,
        o.line_no
    from records r
    join occurrences o on o.id = r.occurrence
    join session_ids i on i.id = o.session
    join sources s on s.id = o.source
    where o.type in ('summary', 'ai-title', 'custom-title', 'agent-name', 'last-prompt')
)
