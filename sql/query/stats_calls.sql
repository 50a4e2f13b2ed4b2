-- Calls of tools that the filters let through: how they went, with what they are counted by.
-- params:  by, project (a part of it), session_id, model (a part of it), tool (a pattern), since, until, day (NULL: any)
-- columns: timestamp_ms, session, model (of the response that made it), agent_id, name, is_error (NULL: pending), form, duration_ms
select
    p.timestamp_ms,
    p.session,
    q.model,
    t.agent_id,
    u.name,
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error,
    e.form,
    (select o.timestamp_ms from owned_entries o where o.id = p.result) - p.timestamp_ms as duration_ms
from (
    select distinct u.session
    from usage_totals u
    join sessions x on x.session = u.session
    where (:day is null or u.day is null or u.day = :day)
        and (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
        and (:project is null or instr(lower(x.project), lower(:project)) > 0)
) c
cross join tool_pairs p on p.session = c.session
join tool_uses u on u.entry = p.use and u.idx = p.use_idx
left join entries e on e.id = p.result
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
-- what is not counted by is not looked up: NULL finds no row, at no cost
left join messages m on m.entry = iif(:by = 'model' or :model is not null, p.use, null)
left join responses q on q.response_id = m.response_id
left join placements w on w.entry = iif(:by = 'agent', p.use, null)
left join threads t on t.id = w.thread
where u.name is not null
    and (:model is null or instr(lower(q.model), lower(:model)) > 0)
    and (:tool is null or lower(u.name) glob lower(:tool))
    and p.timestamp_ms >= :since
    and p.timestamp_ms < :until
