-- Notices about the tasks with the given ids, in time order.
-- If the whole index has many such notices, only the given sessions are searched; see `entries_by_call_id`.
-- params:  tasks (JSON, encoded ids), sessions (JSON)
-- columns: session, task_id, status
with requested(id) as materialized (
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:tasks)
),
few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from requested w
        cross join task_notices n on n.task_id = w.id
        limit 20000
    )
),
matches(id, task_id, status, occurrence) as (
    select n.id, n.task_id, n.status, coalesce(n.record, e.occurrence)
    from requested w
    cross join task_notices n on n.task_id = w.id
    left join entries e on e.id = n.entry
    where (select is_few from few)
    union all
    select n.id, n.task_id, n.status, o.id
    from json_each(:sessions) f
    cross join occurrences o on o.session = f.value and o.is_owner = 1
    cross join task_notices n on n.entry = o.entry
    where not (select is_few from few) and n.task_id in (select id from requested)
    union all
    select n.id, n.task_id, n.status, o.id
    from json_each(:sessions) f
    cross join occurrences o on o.session = f.value and o.entry is null
    cross join task_notices n on n.record = o.id
    where not (select is_few from few) and n.task_id in (select id from requested)
)
select o.session, m.task_id, m.status
from matches m
cross join occurrences o on o.id = m.occurrence
join sources s on s.id = o.source
order by o.timestamp_ms, s.path, o.generation, o.offset, m.id
