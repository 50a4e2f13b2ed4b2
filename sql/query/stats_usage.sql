-- Stored usage totals for the sessions and quarter hours that match the filters.
-- params:  by, project (part of the name), session_id, model (part of the name), first, end (quarter hours),
-- params:  undated (1: include rows without a time)
-- columns: those of usage_totals; model is NULL unless totals are grouped by it
select
    u.session,
    u.quarter_hour,
    u.agent_id,
    iif(:by = 'model', u.model, null) as model,
    u.entries,
    u.spans,
    u.responses,
    u.input_tokens,
    u.output_tokens,
    u.cache_creation_tokens,
    u.cache_read_tokens,
    u.priced_responses,
    u.cost_nanousd
from usage_totals u
where (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or u.session in (select x.session from sessions x where instr(lower(x.project), lower(:project)) > 0)
    )
    and (:model is null or instr(lower(u.model), lower(:model)) > 0)
    and iif(u.quarter_hour is null, :undated, u.quarter_hour >= :first and u.quarter_hour < :end)
