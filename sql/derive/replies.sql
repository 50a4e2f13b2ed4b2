-- How the calls with the ids in temp.wanted came out.
-- columns: entry, tool_use_id, is_error, form, status, is_async, is_interrupted
select
    r.entry,
    r.tool_use_id,
    coalesce(r.is_error, 0) as is_error,
    e.form,
    t.status,
    coalesce(t.is_async, 0) as is_async,
    coalesce(t.is_interrupted, 0)
        or coalesce(case when json_valid(t.facts) then json_extract(t.facts, '$.wasInterrupted') in (1, 'true') end, 0)
        as is_interrupted
from temp.wanted w
cross join tool_results r on r.tool_use_id = w.id
join entries e on e.id = r.entry
left join tool_outcomes t on t.entry = r.entry
order by r.entry, r.idx
