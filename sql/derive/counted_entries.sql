-- Entries of the sessions in temp.counted by what they are counted by and by five minutes, in order of time.
-- columns: session, agent_id (NULL: the session's own), model (of the response they are part of), first, last, count
select
    o.session,
    (select t.agent_id from threads t where t.id = w.thread) as agent_id,
    r.model,
    min(o.timestamp_ms),
    max(o.timestamp_ms),
    count(*)
from temp.counted c
cross join occurrences o on o.session = c.session
left join placements w on w.entry = o.entry
left join messages m on m.entry = o.entry
left join responses r on r.response_id = m.response_id
where o.is_owner = 1
-- five minutes end with the day, also before 1970; an instant of 0 is none
group by
    o.session,
    w.thread,
    r.model,
    iif(o.timestamp_ms = 0, null, o.timestamp_ms / 300000 - (o.timestamp_ms < 0 and o.timestamp_ms % 300000 <> 0))
order by min(o.timestamp_ms)
