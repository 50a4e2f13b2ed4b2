-- There is exactly one session per session id recorded with an entry, and there are no other sessions.
select i.session_id
from session_ids i
left join sessions s on s.session = i.id
where (s.session is not null) <> exists (
        select 1
        from occurrences o
        where o.session = i.id and o.entry is not null
    )
