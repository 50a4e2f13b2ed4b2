-- Updates the worktree, relocation and origin of the given sessions from the last record of each type.
-- params:  sessions (JSON)
-- worktreeSession is null after a session has left its worktree. A relocated record contains only the new directory.
with ranked_records as (
    select
        o.session,
        o.type,
        case o.type
            when 'worktree-state' then iif(
                json_type(r.payload, '$.worktreeSession.worktreePath') = 'text',
                json_extract(r.payload, '$.worktreeSession.worktreePath'),
                iif(
                    json_type(r.payload, '$.worktreeSession.worktreeName') = 'text',
                    json_extract(r.payload, '$.worktreeSession.worktreeName'),
                    null
                )
            )
            when 'relocated' then iif(
                json_type(r.payload, '$.relocatedCwd') = 'text', json_extract(r.payload, '$.relocatedCwd'), null
            )
            else iif(
                json_type(r.payload, '$.remoteSessionId') = 'text', json_extract(r.payload, '$.remoteSessionId'), null
            )
        end as value,
        o.timestamp_ms,
        s.path,
        o.generation,
        o.offset,
        row_number() over (
            partition by o.session, o.type
            order by o.is_current desc, o.timestamp_ms desc, s.path desc, o.generation desc, o.offset desc
        ) as rank
    from json_each(:sessions) j
    cross join occurrences o on o.session = j.value
        and o.type in ('worktree-state', 'relocated', 'teleported-from')
        and o.entry is null
    join records r on r.occurrence = o.id and json_valid(r.payload)
    join sources s on s.id = o.source
),
last_records as (
    select
        t.session,
        t.type,
        nullif(t.value, '') as value,
        case
            when t.type = 'relocated' then (
                select d.cwd
                from owned_entries e
                join entry_contexts d on d.id = e.context
                join sources s on s.id = e.source
                where e.session = t.session
                    and e.is_sidechain = 0
                    and e.timestamp_ms <= t.timestamp_ms
                    and (e.timestamp_ms, s.path, e.generation, e.offset) < (t.timestamp_ms, t.path, t.generation, t.offset)
                    and d.cwd <> t.value
                order by e.timestamp_ms desc, s.path desc, e.generation desc, e.offset desc
                limit 1
            )
        end as before
    from ranked_records t
    where t.rank = 1
)
update sessions
set
    worktree = m.worktree,
    relocated_from = m.relocated_from,
    relocated_to = m.relocated_to,
    teleported_from = m.teleported_from
from (
    select
        j.value as session,
        max(iif(t.type = 'worktree-state', t.value, null)) as worktree,
        max(t.before) as relocated_from,
        max(iif(t.type = 'relocated', t.value, null)) as relocated_to,
        max(iif(t.type = 'teleported-from', t.value, null)) as teleported_from
    from json_each(:sessions) j
    left join last_records t on t.session = j.value
    group by j.value
) m
where sessions.session = m.session
