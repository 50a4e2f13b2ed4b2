-- Entries that match the filters, one per row, by time.
-- params:  by, project (part of the name), session_id, model (part of the name), tool (a glob pattern), since, until,
-- params:  quarter_hour (NULL: any)
-- columns: session, agent_id (NULL: the session itself), model (of the response), first_ms, last_ms, count
select
    o.session,
    t.agent_id,
    r.model,
    o.timestamp_ms as first_ms,
    o.timestamp_ms as last_ms,
    1 as count
from (
    select distinct u.session
    from usage_totals u
    join sessions x on x.session = u.session
    where (:quarter_hour is null or u.quarter_hour is null or u.quarter_hour = :quarter_hour)
        and (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
        and (:project is null or instr(lower(x.project), lower(:project)) > 0)
) c
cross join occurrences o on o.session = c.session
-- columns that are used neither for grouping nor for filtering are not looked up: their join key is NULL
left join messages m on m.entry = iif(:by = 'model' or :model is not null, o.entry, null)
left join responses r on r.response_id = m.response_id
left join placements w on w.entry = iif(:by = 'agent', o.entry, null)
left join threads t on t.id = w.thread
where o.is_owner = 1
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
    and o.timestamp_ms >= :since
    and o.timestamp_ms < :until
order by o.timestamp_ms
