-- Calls with some ids: at least those in some sessions, see `holders`.
-- params:  calls (JSON, encoded ids), sessions (JSON)
-- columns: entry, tool_use_id, input, is_spawn
with wanted(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from wanted w
        cross join tool_uses u on u.tool_use_id = w.id
        limit 20000
    )
),
held(entry, idx) as (
    select u.entry, u.idx
    from wanted w
    cross join tool_uses u on u.tool_use_id = w.id
    where (select is_few from few)
    union all
    select u.entry, u.idx
    from json_each(:sessions) f
    cross join occurrences o on o.session = f.value and o.is_owner = 1
    cross join tool_uses u on u.entry = o.entry
    where not (select is_few from few) and u.tool_use_id in (select id from wanted)
)
select u.entry, u.tool_use_id, u.input, coalesce(u.name in ('Task', 'Agent'), 0) as is_spawn
from held h
cross join tool_uses u on u.entry = h.entry and u.idx = h.idx
order by u.entry, u.idx
