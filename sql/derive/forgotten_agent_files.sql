-- Agent transcripts outside session folders that contain objects of the given sessions only.
-- params:  sessions (JSON)
-- columns: path
with requested(session) as materialized (
    select value
    from json_each(:sessions)
)
select s.path
from requested n
cross join occurrences o on o.session = n.session
join sources s on s.id = o.source
where s.role = 'agent'
    and s.session_hint is null
    and not exists (
        select 1
        from occurrences c
        where c.source = s.id and c.session not in (select session from requested)
    )
group by s.path
