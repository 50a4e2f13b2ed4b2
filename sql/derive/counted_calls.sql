-- Tool calls of the given sessions, with their outcome and the columns that totals are grouped by.
-- params:  sessions (JSON)
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
from json_each(:sessions) j
cross join tool_pairs p on p.session = j.value
join tool_uses u on u.entry = p.use and u.idx = p.use_idx
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join messages m on m.entry = p.use
left join responses q on q.response_id = m.response_id
left join placements w on w.entry = p.use
left join threads t on t.id = w.thread
where u.name is not null
