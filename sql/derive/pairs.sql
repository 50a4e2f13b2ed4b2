-- The calls with the ids in temp.wanted: who holds each in a session, who answers it, and how many do.
-- columns: tool_use_id, session, use, use_idx, result, result_idx, uses, results (one of each, if there are several)
with held(tool_use_id, use, use_idx, result, result_idx) as (
    select u.tool_use_id, u.entry, u.idx, null, null
    from temp.wanted w
    cross join tool_uses u on u.tool_use_id = w.id
    union all
    select r.tool_use_id, null, null, r.entry, r.idx
    from temp.wanted w
    cross join tool_results r on r.tool_use_id = w.id
)
select
    h.tool_use_id,
    t.session,
    max(h.use) as use,
    max(h.use_idx) as use_idx,
    max(h.result) as result,
    max(h.result_idx) as result_idx,
    count(h.use) as uses,
    count(h.result) as results
from held h
cross join places p on p.entry = coalesce(h.use, h.result)
join threads t on t.id = p.thread
group by h.tool_use_id, t.session
