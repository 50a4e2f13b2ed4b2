-- Entries that the filters let through with what they are counted by, in order of time.
-- params:  by, project (a part of it), session_id, model (a part of it), tool (a pattern), since, until
-- columns: at, session, model (of the response it is part of), agent_id (NULL: the session's own)
select
    o.at,
    o.session,
    r.model,
    t.agent_id
from occurrences o
-- what is not counted by is not looked up: NULL finds no row, at no cost
left join messages m on m.entry = iif(:by = 'model' or :model is not null, o.entry, null)
left join responses r on r.response = m.response
left join places w on w.entry = iif(:by = 'agent', o.entry, null)
left join threads t on t.id = w.thread
where o.is_owner = 1
    and (:session_id is null or o.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or o.session in (
            select i.id
            from v1_sessions x
            join session_ids i on i.session_id = x.session_id
            where instr(lower(x.project), lower(:project)) > 0
        )
    )
    and (:model is null or instr(lower(r.model), lower(:model)) > 0)
    and (
        :tool is null
        or o.entry in (
            select u.entry
            from tool_uses u
            where lower(u.name) glob lower(:tool)
            union all
            select p.result
            from tool_pairs p
            join tool_uses u on u.entry = p.use and u.idx = p.use_idx
            where p.result is not null and lower(u.name) glob lower(:tool)
        )
    )
    and (:since is null or o.at >= :since)
    and (:until is null or o.at < :until)
order by o.at
