-- The ranks of some sessions: their earliest instant, and that of a uuid no other session claims.
-- params:  sessions (JSON)
-- columns: session, first_at, first_own_at
select
    j.value as session,
    (
        select min(o.timestamp_ms)
        from occurrences o
        where o.session = j.value
            and o.entry is not null
    ) as first_at,
    (
        select o.timestamp_ms
        from occurrences o
        where o.session = j.value
            and o.entry is not null
            -- as two ranges of the index: <> would read all copies of a uuid that one session repeats
            and not exists (
                select 1
                from occurrences x
                where x.entry = o.entry
                    and x.session < o.session
            )
            and not exists (
                select 1
                from occurrences x
                where x.entry = o.entry
                    and x.session > o.session
            )
        order by o.timestamp_ms
        limit 1
    ) as first_own_at
from json_each(:sessions) j
