-- Number of entries per five-minute interval and combination of the columns that totals are grouped by, in time order.
-- params:  sessions (JSON)
-- columns: session, agent_id (NULL: the session's own), model (of the response they are part of), first, last, count
select
    o.session,
    (select t.agent_id from threads t where t.id = w.thread) as agent_id,
    r.model,
    min(o.timestamp_ms),
    max(o.timestamp_ms),
    count(*)
from json_each(:sessions) j
cross join occurrences o on o.session = j.value
left join placements w on w.entry = o.entry
left join messages m on m.entry = o.entry
left join responses r on r.response_id = m.response_id
where o.is_owner = 1
-- rounded down even before 1970, so that no group spans two quarter hours; a timestamp of 0 means unknown
group by
    o.session,
    w.thread,
    r.model,
    iif(o.timestamp_ms = 0, null, o.timestamp_ms / 300000 - (o.timestamp_ms < 0 and o.timestamp_ms % 300000 <> 0))
order by min(o.timestamp_ms)
