-- There is one session per session id under which an occurrence with a uuid is recorded, and no other.
select i.session_id
from session_ids i
left join sessions s on s.session = i.id
where (s.session is not null) <> exists (
        select 1
        from occurrences o
        where o.session = i.id and o.entry is not null
    )
