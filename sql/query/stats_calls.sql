-- Calls of tools that the filters let through: how they went, with what they are counted by.
-- params:  by, project (a part of it), session_id, model (a part of it), tool (a pattern), since, until
-- columns: at, session, model (of the response that made it), agent_id, name, is_error (NULL: pending), form, duration_ms
select
    coalesce(b.at, d.at) as at,
    p.session,
    q.model,
    t.agent_id,
    u.name,
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error,
    c.form,
    d.at - b.at as duration_ms
from (
    -- in the order of the file: on a large index that is twice as fast as in the order of ids
    select
        k.session,
        k.use,
        k.use_idx,
        k.result,
        k.result_idx
    from tool_pairs k
    where k.use is not null
    order by k.use
    limit -1
) p
join tool_uses u on u.entry = p.use and u.idx = p.use_idx
join entries a on a.id = p.use
left join occurrences b on b.id = a.occurrence
left join entries c on c.id = p.result
left join occurrences d on d.id = c.occurrence
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
-- what is not counted by is not looked up: NULL finds no row, at no cost
left join messages m on m.entry = iif(:by = 'model' or :model is not null, p.use, null)
left join responses q on q.response = m.response
left join places w on w.entry = iif(:by = 'agent', p.use, null)
left join threads t on t.id = w.thread
where u.name is not null
    and (:session_id is null or p.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or p.session in (
            select i.id
            from v1_sessions x
            join session_ids i on i.session_id = x.session_id
            where instr(lower(x.project), lower(:project)) > 0
        )
    )
    and (:model is null or instr(lower(q.model), lower(:model)) > 0)
    and (:tool is null or lower(u.name) glob lower(:tool))
    and (:since is null or coalesce(b.at, d.at) >= :since)
    and (:until is null or coalesce(b.at, d.at) < :until)
