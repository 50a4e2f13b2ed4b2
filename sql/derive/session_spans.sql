-- Updates project, first and last instant of some sessions, by which they are sorted and filtered.
-- params:  sessions (JSON)
update sessions
set
    (first_at, project) = (
        select o.timestamp_ms, s.project
        from entries e
        join occurrences o on o.id = e.occurrence
        join sources s on s.id = o.source
        where e.id = sessions.first_entry
        union all
        -- a session that has only copies: the earliest of them
        select null, (
            select s.project
            from occurrences o
            join sources s on s.id = o.source
            where o.session = sessions.session and o.entry is not null
            order by o.timestamp_ms, s.path, o.generation, o.offset
            limit 1
        )
        where sessions.first_entry is null
    ),
    last_at = (
        select o.timestamp_ms
        from entries e
        join occurrences o on o.id = e.occurrence
        where e.id = sessions.last_entry
    )
where session in (select value from json_each(:sessions))
