-- The rows of counted_calls for the given quarter hours.
-- params:  spans (JSON, arrays of a session, the first millisecond and the millisecond after the last)
-- columns: session, timestamp_ms, agent_id (NULL: the session's own), model (of the response that made it), name,
-- columns: outcome, is_error (NULL: pending), duration_ms
select
    p.session,
    p.timestamp_ms,
    t.agent_id,
    q.model,
    u.name,
    p.outcome,
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error,
    p.duration_ms
from json_each(:spans) j
cross join occurrences o on o.session = json_extract(j.value, '$[0]')
    and o.timestamp_ms >= json_extract(j.value, '$[1]')
    and o.timestamp_ms < json_extract(j.value, '$[2]')
cross join tool_uses u on u.entry = o.entry
join tool_pairs p on p.tool_use_id = u.tool_use_id and p.session = o.session and p.use = u.entry and p.use_idx = u.idx
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join messages m on m.entry = p.use
left join responses q on q.response_id = m.response_id
left join placements w on w.entry = p.use
left join threads t on t.id = w.thread
where o.is_owner = 1 and u.name is not null
