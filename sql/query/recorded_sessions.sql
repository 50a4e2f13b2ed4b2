-- Sessions whose id begins like that: those that objects claim, and those that files without any object are called by.
-- params:  low, high, most
-- columns: session_id
select session_id
from session_ids
where session_id >= :low
and session_id < :high
union
select called
from (
    select coalesce(
        s.session_hint,
        replace(replace(s.path, rtrim(s.path, replace(s.path, '/', '')), ''), '.jsonl', '')
    ) as called
    from sources s
    where (s.session_hint is not null or s.role = 'session')
    and not exists (
        select 1
        from occurrences o
        where o.source = s.id
    )
)
where called >= :low
and called < :high
order by 1
limit :most
