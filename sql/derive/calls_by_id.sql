-- The calls with the ids in temp.wanted: at least those of the sessions in temp.family, as `holders` has it.
-- columns: entry, tool_use_id, input, is_spawn
with few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from temp.wanted w
        cross join tool_uses u on u.tool_use_id = w.id
        limit 20000
    )
),
held(entry, idx) as (
    select u.entry, u.idx
    from temp.wanted w
    cross join tool_uses u on u.tool_use_id = w.id
    where (select is_few from few)
    union all
    select u.entry, u.idx
    from temp.family f
    cross join occurrences o on o.session = f.session and o.is_owner = 1
    cross join tool_uses u on u.entry = o.entry
    where not (select is_few from few) and u.tool_use_id in (select id from temp.wanted)
)
select u.entry, u.tool_use_id, u.input, coalesce(u.name in ('Task', 'Agent'), 0) as is_spawn
from held h
cross join tool_uses u on u.entry = h.entry and u.idx = h.idx
order by u.entry, u.idx
