-- Tool calls that match the filters, with their outcomes.
-- params:  by, project (part of the name), session_id, model (part of the name), tool (a glob pattern), since, until,
-- params:  quarter_hour (NULL: any)
-- columns: session, timestamp_ms, agent_id, model (of the response that made the call), name, outcome,
-- columns: is_error (NULL: pending), duration_ms
select
    p.session,
    p.timestamp_ms,
    t.agent_id,
    q.model,
    u.name,
    p.outcome,
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error,
    p.duration_ms
from (
    select distinct u.session
    from usage_totals u
    join sessions x on x.session = u.session
    where (:quarter_hour is null or u.quarter_hour is null or u.quarter_hour = :quarter_hour)
        and (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
        and (:project is null or instr(lower(x.project), lower(:project)) > 0)
) c
cross join tool_pairs p on p.session = c.session
join tool_uses u on u.entry = p.use and u.idx = p.use_idx
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
-- columns that are used neither for grouping nor for filtering are not looked up: their join key is NULL
left join messages m on m.entry = iif(:by = 'model' or :model is not null, p.use, null)
left join responses q on q.response_id = m.response_id
left join placements w on w.entry = iif(:by = 'agent', p.use, null)
left join threads t on t.id = w.thread
where u.name is not null
    and (:model is null or instr(lower(q.model), lower(:model)) > 0)
    and (:tool is null or lower(u.name) glob lower(:tool))
    and p.timestamp_ms >= :since
    and p.timestamp_ms < :until
