-- Responses that match the filters, with tokens and cost.
-- params:  by, project (part of the name), session_id, model (part of the name), tool (a glob pattern), since, until,
-- params:  quarter_hour (NULL: any)
-- columns: session, timestamp_ms, agent_id (NULL: the session itself), model, input_tokens, output_tokens,
-- columns: cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens, cost
select
    r.session,
    r.timestamp_ms,
    case when m.is_wrapped then e.named_agent_id else t.agent_id end as agent_id,
    r.model,
    r.input_tokens,
    r.output_tokens,
    r.cache_creation_5m_tokens,
    r.cache_creation_1h_tokens,
    r.cache_read_tokens,
    r.cost_nanousd
from (
    select distinct u.session
    from usage_totals u
    join sessions x on x.session = u.session
    where (:quarter_hour is null or u.quarter_hour is null or u.quarter_hour = :quarter_hour)
        and (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
        and (:project is null or instr(lower(x.project), lower(:project)) > 0)
) c
cross join responses r on r.session = c.session
-- columns that are used neither for grouping nor for filtering are not looked up: their join key is NULL
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
