-- Results of the calls with the given ids: all of them, or only those in the given sessions if there are many.
-- See `entries_by_call_id`.
-- params:  calls (JSON, encoded ids), sessions (JSON)
-- columns: entry, tool_use_id, is_error, form, status, is_async, is_interrupted
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from requested w
        cross join tool_results r on r.tool_use_id = w.id
        limit 20000
    )
),
matches(entry, idx) as (
    select r.entry, r.idx
    from requested w
    cross join tool_results r on r.tool_use_id = w.id
    where (select is_few from few)
    union all
    select r.entry, r.idx
    from json_each(:sessions) f
    cross join occurrences o on o.session = f.value and o.is_owner = 1
    cross join tool_results r on r.entry = o.entry
    where not (select is_few from few) and r.tool_use_id in (select id from requested)
)
select
    r.entry,
    r.tool_use_id,
    coalesce(r.is_error, 0) as is_error,
    e.form,
    t.status,
    coalesce(t.is_async, 0) as is_async,
    coalesce(t.is_interrupted, 0)
        or coalesce(case when json_valid(d.json) then json_extract(d.json, '$.wasInterrupted') in (1, 'true') end, 0)
        as is_interrupted
from matches m
cross join tool_results r on r.entry = m.entry and r.idx = m.idx
join owned_entries e on e.id = r.entry
left join tool_outcomes t on t.entry = r.entry
left join extra_json d on d.id = t.facts
order by r.entry, r.idx
