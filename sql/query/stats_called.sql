-- What was counted of calls in sessions and on days that the filters let through, as far apart as they are counted by.
-- params:  by, project (a part of it), session_id, model (a part of it), first_day, end_day, undated (1: no instant will do)
-- columns: session, day, agent_id, model, name, calls, answered, failed, refused, rejections, errors, durations,
-- columns: first_at, last_at
select
    u.session,
    u.day,
    iif(:by = 'agent', u.agent_id, null) as agent_id,
    iif(:by = 'model', u.model, null) as model,
    iif(:by = 'tool', u.name, null) as name,
    sum(u.calls),
    sum(u.answered),
    sum(u.failed),
    sum(u.refused),
    sum(u.rejections),
    sum(u.errors),
    cast(group_concat(nullif(u.durations, '')) as blob) as durations,
    min(u.first_at),
    max(u.last_at)
from tool_totals u
where (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or u.session in (select x.session from sessions x where instr(lower(x.project), lower(:project)) > 0)
    )
    and (:model is null or instr(lower(u.model), lower(:model)) > 0)
    and iif(u.day is null, :undated, u.day >= :first_day and u.day < :end_day)
group by 1, 2, 3, 4, 5
