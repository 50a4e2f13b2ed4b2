-- Sessions whose derived rows can change because of new records, or because earlier records refer to the given entries.
-- A new title that equals the current title changes nothing, and neither do operations of a queue that are later than
-- all earlier ones unless they remove text. The leaf of a last-prompt record only matters if its session has branches.
-- params:  first (occurrence id of the first new object), entries (JSON, new entries)
-- columns: session (of the record), leaf_session (of the entry that it refers to, or NULL)
with candidates(occurrence) as materialized (
    select r.occurrence
    from records r
    where r.occurrence >= :first
    union
    select r.occurrence
    from json_each(:entries) j
    cross join entries e on e.id = j.value
    cross join records r on r.leaf = e.uuid
),
named(occurrence, session, type, timestamp_ms, source, generation, payload, leaf, leaf_session) as (
    select o.id, o.session, o.type, o.timestamp_ms, o.source, o.generation, r.payload, r.leaf, w.session
    from candidates c
    cross join occurrences o on o.id = c.occurrence
    join records r on r.occurrence = o.id
    left join entries e on e.uuid = r.leaf
    left join occurrences w on w.id = e.occurrence
),
-- sessions with an earlier operation that is not before the first new one
disordered_queues(session) as materialized (
    select n.session
    from (
        select
            session,
            min(timestamp_ms) as timestamp_ms,
            iif(min(source) = max(source), source, null) as source,
            iif(min(generation) = max(generation), generation, null) as generation
        from named
        where type = 'queue-operation'
        group by session
    ) n
    where exists (
        select 1
        from occurrences x
        where x.session = n.session
            and x.timestamp_ms >= n.timestamp_ms
            and x.type = 'queue-operation'
            and x.entry is null
            and x.id < :first
            -- with the same timestamp, it comes first if it is in the same file
            and (x.timestamp_ms, x.source, x.generation) is not (n.timestamp_ms, n.source, n.generation)
    )
)
select session, leaf_session
from named n
where
    case
        when exists (select 1 from task_notices t where t.record = n.occurrence) then 1
        when type = 'last-prompt' then leaf_session is not null and (
            leaf_session <> session
            or exists (
                select 1
                from threads t
                cross join lines l on l.thread = t.id
                where t.session = n.session and l.kind in ('branch', 'agent_branch')
            )
        )
        when type in ('ai-title', 'custom-title', 'summary') then leaf is not null or (
            json_valid(payload)
            and json_type(payload, case type
                when 'ai-title' then '$.aiTitle' when 'custom-title' then '$.customTitle' else '$.summary'
            end) = 'text'
            and json_extract(payload, case type
                when 'ai-title' then '$.aiTitle' when 'custom-title' then '$.customTitle' else '$.summary'
            end) is not (select s.title from sessions s where s.session = n.session)
        )
        when type = 'queue-operation' then
            payload glob '*"remove"*'
            or payload glob '*"popAll"*'
            or n.session in (select session from disordered_queues)
        else type in ('fork-context-ref', 'worktree-state', 'relocated', 'teleported-from', 'started', 'result')
    end
