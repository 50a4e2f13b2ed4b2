-- Session ids in a range, from recorded objects and from the paths of files that contain no objects.
-- params:  low, high, limit
-- columns: session_id
select session_id
from session_ids
where session_id >= :low
and session_id < :high
union
select named_session_id
from (
    select coalesce(
        s.session_hint,
        replace(replace(s.path, rtrim(s.path, replace(s.path, '/', '')), ''), '.jsonl', '')
    ) as named_session_id
    from sources s
    where (s.session_hint is not null or s.role = 'session')
    and not exists (
        select 1
        from occurrences o
        where o.source = s.id
    )
)
where named_session_id >= :low
and named_session_id < :high
order by 1
limit :limit
