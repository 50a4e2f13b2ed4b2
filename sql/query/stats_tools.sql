-- Stored tool call totals for the sessions and quarter hours that match the filters.
-- params:  by, project (part of the name), session_id, model (part of the name), first, end (quarter hours),
-- params:  undated (1: include rows without a time)
-- columns: those of tool_totals; agent_id, model and name are NULL unless totals are grouped by them;
-- columns: durations_ms is an array of arrays
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
    sum(u.error_results),
    json_group_array(json(u.durations_ms)) as durations_ms,
    min(u.first_timestamp_ms),
    max(u.last_timestamp_ms)
from tool_totals u
where (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or u.session in (select x.session from sessions x where instr(lower(x.project), lower(:project)) > 0)
    )
    and (:model is null or instr(lower(u.model), lower(:model)) > 0)
    and iif(u.quarter_hour is null, :undated, u.quarter_hour >= :first and u.quarter_hour < :end)
group by 1, 2, 3, 4, 5
