-- How the calls with the ids in temp.wanted came out: at least in the sessions of temp.family, as `holders` has it.
-- columns: entry, tool_use_id, is_error, form, status, is_async, is_interrupted
with few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from temp.wanted w
        cross join tool_results r on r.tool_use_id = w.id
        limit 20000
    )
),
held(entry, idx) as (
    select r.entry, r.idx
    from temp.wanted w
    cross join tool_results r on r.tool_use_id = w.id
    where (select is_few from few)
    union all
    select r.entry, r.idx
    from temp.family f
    cross join occurrences o on o.session = f.session and o.is_owner = 1
    cross join tool_results r on r.entry = o.entry
    where not (select is_few from few) and r.tool_use_id in (select id from temp.wanted)
)
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
from held h
cross join tool_results r on r.entry = h.entry and r.idx = h.idx
join entries e on e.id = r.entry
left join tool_outcomes t on t.entry = r.entry
order by r.entry, r.idx
