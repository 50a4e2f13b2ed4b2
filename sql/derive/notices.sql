-- What was told of the tasks with the ids in temp.wanted, by time: at least in the sessions of temp.family.
-- Where a task is told of all over the index, only the family is looked at, so that all families take linear time.
-- columns: session, task_id, status
with few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from temp.wanted w
        cross join task_notices n on n.task_id = w.id
        limit 20000
    )
),
told(id, task_id, status, occurrence) as (
    select n.id, n.task_id, n.status, coalesce(n.record, e.occurrence)
    from temp.wanted w
    cross join task_notices n on n.task_id = w.id
    left join entries e on e.id = n.entry
    where (select is_few from few)
    union all
    select n.id, n.task_id, n.status, o.id
    from temp.family f
    cross join occurrences o on o.session = f.session and o.is_owner = 1
    cross join task_notices n on n.entry = o.entry
    where not (select is_few from few) and n.task_id in (select id from temp.wanted)
    union all
    select n.id, n.task_id, n.status, o.id
    from temp.family f
    cross join occurrences o on o.session = f.session and o.entry is null
    cross join task_notices n on n.record = o.id
    where not (select is_few from few) and n.task_id in (select id from temp.wanted)
)
select o.session, t.task_id, t.status
from told t
cross join occurrences o on o.id = t.occurrence
join sources s on s.id = o.source
order by o.timestamp_ms, s.path, o.generation, o.offset, t.id
