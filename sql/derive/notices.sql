-- What was told of the tasks with the ids in temp.wanted, by time.
-- columns: session, task_id, status
with told(id, task_id, status, occurrence) as (
    select n.id, n.task_id, n.status, coalesce(n.record, e.occurrence)
    from temp.wanted w
    cross join notices n on n.task_id = w.id
    left join entries e on e.id = n.entry
)
select o.session, t.task_id, t.status
from told t
cross join occurrences o on o.id = t.occurrence
join sources s on s.id = o.source
order by o.at, s.path, o.generation, o.offset, t.id
