-- Ranks of the given sessions: timestamps of their first entry, and of their first entry that is in no other session.
-- rule: session_rank
-- params:  sessions (JSON)
-- columns: session, first_timestamp_ms, first_own_timestamp_ms
select
    j.value as session,
    (
        select min(o.timestamp_ms)
        from occurrences o
        where o.session = j.value
            and o.entry is not null
    ) as first_timestamp_ms,
    (
        select o.timestamp_ms
        from occurrences o
        where o.session = j.value
            and o.entry is not null
            -- two index ranges: <> would read all copies of a uuid that one session repeats
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
    ) as first_own_timestamp_ms
from json_each(:sessions) j
