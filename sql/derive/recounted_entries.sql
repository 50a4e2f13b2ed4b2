-- The rows of counted_entries for the given quarter hours.
-- params:  spans (JSON, arrays of a session, the first millisecond and the millisecond after the last)
-- columns: session, agent_id (NULL: the session's own), model (of the response they are part of), first, last, count
select
    o.session,
    (select t.agent_id from threads t where t.id = w.thread) as agent_id,
    r.model,
    min(o.timestamp_ms),
    max(o.timestamp_ms),
    count(*)
from json_each(:spans) j
cross join occurrences o on o.session = json_extract(j.value, '$[0]')
    and o.timestamp_ms >= json_extract(j.value, '$[1]')
    and o.timestamp_ms < json_extract(j.value, '$[2]')
left join placements w on w.entry = o.entry
left join messages m on m.entry = o.entry
left join responses r on r.response_id = m.response_id
where o.is_owner = 1
group by
    o.session,
    w.thread,
    r.model,
    o.timestamp_ms / 300000 - (o.timestamp_ms < 0 and o.timestamp_ms % 300000 <> 0) -- rounded down even before 1970
order by min(o.timestamp_ms)
