-- What was counted of entries and responses in sessions and on days that the filters let through.
-- params:  by, project (a part of it), session_id, model (a part of it), first_day, end_day, undated (1: no instant will do)
-- columns: session, day, agent_id, model (by which it is counted), entries, spans, responses, tokens in, out, written to
-- columns: and read from the cache, responses with a price, their cost in dollars and the rest in billionths of one
select
    u.session,
    u.day,
    u.agent_id,
    iif(:by = 'model', u.model, null) as model,
    u.entries,
    cast(u.spans as blob) as spans,
    u.responses,
    u.input_tokens,
    u.output_tokens,
    u.cache_creation_tokens,
    u.cache_read_tokens,
    u.priced,
    u.dollars,
    u.billionths
from usage_totals u
where (:session_id is null or u.session = (select i.id from session_ids i where i.session_id = :session_id))
    and (
        :project is null
        or u.session in (select x.session from sessions x where instr(lower(x.project), lower(:project)) > 0)
    )
    and (:model is null or instr(lower(u.model), lower(:model)) > 0)
    and iif(u.day is null, :undated, u.day >= :first_day and u.day < :end_day)
