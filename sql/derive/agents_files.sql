-- Transcripts of agents beside those of the sessions, in which every object claims a session of temp.wanted.
select s.path
from temp.wanted w
cross join session_ids i on i.session_id = w.id
cross join occurrences o on o.session = i.id
join sources s on s.id = o.source
where s.role = 'agent'
and s.session_hint is null
and not exists (
    select 1
    from occurrences c
    join session_ids j on j.id = c.session
    where c.source = s.id
    and j.session_id not in (select id from temp.wanted)
)
group by s.path
