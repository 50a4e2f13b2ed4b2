-- Session titles: the last title set by the user, otherwise the last generated title, otherwise the last summary.
-- rule: summary_session
-- params:  sessions (JSON), entries (JSON, those that a summary or title may refer to)
-- columns: session, title
with title_records(session, occurrence) as (
    select o.session, o.id
    from json_each(:sessions) j
    cross join occurrences o on o.session = j.value
        and o.type in ('custom-title', 'ai-title', 'summary')
        and o.entry is null
    join records r on r.occurrence = o.id and r.leaf is null
    union all
    select e.session, r.occurrence
    from json_each(:entries) j
    cross join owned_entries e on e.id = j.value
    cross join records r on r.leaf = e.uuid
),
candidates(session, preference, is_current, timestamp_ms, path, generation, offset, title) as (
    select
        k.session,
        case o.type when 'custom-title' then 1 when 'ai-title' then 2 else 3 end,
        o.is_current,
        o.timestamp_ms,
        s.path,
        o.generation,
        o.offset,
        case o.type
            when 'custom-title' then json_extract(r.payload, '$.customTitle')
            when 'ai-title' then json_extract(r.payload, '$.aiTitle')
            else json_extract(r.payload, '$.summary')
        end
    from title_records k
    cross join occurrences o on o.id = k.occurrence and o.type in ('custom-title', 'ai-title', 'summary')
    join records r on r.occurrence = o.id and json_valid(r.payload)
    join sources s on s.id = o.source
)
select session, title
from (
    select
        session,
        title,
        row_number() over (
            partition by session
            order by preference, is_current desc, timestamp_ms desc, path desc, generation desc, offset desc
        ) as rank
    from candidates
    where typeof(title) = 'text' and title <> ''
)
where rank = 1
