-- Where and when the sessions in temp.counted were: what they are sorted and filtered by.
update sessions
set
    (first_at, project) = (
        select o.timestamp_ms, s.project
        from entries e
        join occurrences o on o.id = e.occurrence
        join sources s on s.id = o.source
        where e.id = sessions.first_entry
        union all
        -- of copies alone, the earliest
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
where session in (select session from temp.counted)
