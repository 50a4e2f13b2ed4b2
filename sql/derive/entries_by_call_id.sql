-- Entries that contain the calls with the given ids, and entries that answer them.
-- If the whole index has many such entries, only the given sessions are searched. Without this limit, the whole index
-- would be searched once per family for an id that occurs in all families.
-- params:  calls (JSON, encoded ids), sessions (JSON)
-- columns: tool_use_id, entry, is_answer
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
        union all
        select 1
        from requested w
        cross join tool_uses u on u.tool_use_id = w.id
        limit 20000
    )
)
select r.tool_use_id, r.entry, 1 as is_answer
from requested w
cross join tool_results r on r.tool_use_id = w.id
where (select is_few from few)
union
select u.tool_use_id, u.entry, 0
from requested w
cross join tool_uses u on u.tool_use_id = w.id
where (select is_few from few)
union
select r.tool_use_id, r.entry, 1
from json_each(:sessions) f
cross join occurrences o on o.session = f.value and o.is_owner = 1
cross join tool_results r on r.entry = o.entry
where not (select is_few from few) and r.tool_use_id in (select id from requested)
union
select u.tool_use_id, u.entry, 0
from json_each(:sessions) f
cross join occurrences o on o.session = f.value and o.is_owner = 1
cross join tool_uses u on u.entry = o.entry
where not (select is_few from few) and u.tool_use_id in (select id from requested)
