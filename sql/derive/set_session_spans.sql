-- Updates the project and the first and last timestamps of the given sessions.
-- Lists of sessions are sorted and filtered by these columns.
-- params:  sessions (JSON)
update sessions
set
    (first_timestamp_ms, project) = (
        select e.timestamp_ms, s.project
        from owned_entries e
        join sources s on s.id = e.source
        where e.id = sessions.first_entry
        union all
        -- a session that owns no entry: its earliest copy
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
    last_timestamp_ms = (
        select e.timestamp_ms
        from owned_entries e
        where e.id = sessions.last_entry
    )
where session in (select value from json_each(:sessions))
