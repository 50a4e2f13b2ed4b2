-- Calls with the given ids: all of them, or only those in the given sessions if there are many.
-- See `entries_by_call_id`.
-- params:  calls (JSON, encoded ids), sessions (JSON)
-- columns: entry, tool_use_id, input, is_spawn
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:calls)
),
few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from requested w
        cross join tool_uses u on u.tool_use_id = w.id
        limit 20000
    )
),
matches(entry, idx) as (
    select u.entry, u.idx
    from requested w
    cross join tool_uses u on u.tool_use_id = w.id
    where (select is_few from few)
    union all
    select u.entry, u.idx
    from json_each(:sessions) f
    cross join occurrences o on o.session = f.value and o.is_owner = 1
    cross join tool_uses u on u.entry = o.entry
    where not (select is_few from few) and u.tool_use_id in (select id from requested)
)
select u.entry, u.tool_use_id, u.input, coalesce(u.name in ('Task', 'Agent'), 0) as is_spawn
from matches m
cross join tool_uses u on u.entry = m.entry and u.idx = m.idx
order by u.entry, u.idx
