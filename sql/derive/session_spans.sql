-- Updates project, first and last instant of some sessions, by which they are sorted and filtered.
-- params:  sessions (JSON)
update sessions
set
    (first_at, project) = (
        select e.timestamp_ms, s.project
        from owned_entries e
        join sources s on s.id = e.source
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
        select e.timestamp_ms
        from owned_entries e
        where e.id = sessions.last_entry
    )
where session in (select value from json_each(:sessions))
