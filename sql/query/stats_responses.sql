-- Responses that the filters let through: what they took, with what they are counted by.
-- params:  by, project (a part of it), session_id, model (a part of it), tool (a pattern), since, until, day (NULL: any)
-- columns: timestamp_ms, session, model, agent_id (NULL: the session's own), tokens in, out, written to and read from the cache, cost
select
    r.timestamp_ms,
    r.session,
    r.model,
    case when m.is_wrapped then e.named_agent_id else t.agent_id end as agent_id,
    r.input_tokens,
    r.output_tokens,
    r.cache_creation_5m_tokens,
    r.cache_creation_1h_tokens,
    r.cache_read_tokens,
    r.cost
from (
    select distinct u.session
    from usage_totals u
    join sessions x on x.session = u.session
    where (:day is null or u.day is null or u.day = :day)
        and (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
        and (:project is null or instr(lower(x.project), lower(:project)) > 0)
) c
cross join responses r on r.session = c.session
-- what is not counted by is not looked up: NULL finds no row, at no cost
left join entries e on e.id = iif(:by = 'agent', r.entry, null)
left join messages m on m.entry = e.id
left join placements w on w.entry = e.id
left join threads t on t.id = w.thread
where (:model is null or instr(lower(r.model), lower(:model)) > 0)
    and (
        :tool is null
        or coalesce(r.parent, r.response_id) in (
            select y.response_id
            from tool_uses u
            join messages y on y.entry = u.entry
            where lower(u.name) glob lower(:tool)
        )
    )
    and r.timestamp_ms >= :since
    and r.timestamp_ms < :until
