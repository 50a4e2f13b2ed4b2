-- Totals of tool calls in the sessions and quarter hours that the filters accept.
-- params:  by, project (part of its name), session_id, model (part of its name), first, end (quarter hours),
-- params:  undated (1: rows without an instant too)
-- columns: those of tool_totals; agent_id, model and name are NULL unless totals are grouped by them;
-- columns: durations is an array of arrays
select
    u.session,
    u.quarter_hour,
    iif(:by = 'agent', u.agent_id, null) as agent_id,
    iif(:by = 'model', u.model, null) as model,
    iif(:by = 'tool', u.name, null) as name,
    sum(u.calls),
    sum(u.ok),
    sum(u.errors),
    sum(u.refused),
    sum(u.interrupted),
    sum(u.flagged),
    json_group_array(json(u.durations)) as durations,
    min(u.first_at),
    max(u.last_at)
from tool_totals u
where (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or u.session in (select x.session from sessions x where instr(lower(x.project), lower(:project)) > 0)
    )
    and (:model is null or instr(lower(u.model), lower(:model)) > 0)
    and iif(u.quarter_hour is null, :undated, u.quarter_hour >= :first and u.quarter_hour < :end)
group by 1, 2, 3, 4, 5
