-- The recorded parents of all entries that are on a cycle of such, and of some that are not, by time of the child.
-- columns: uuid, parent_uuid
with recursive walk(entry) as ( -- ids alone: what repeats ends the walk
    select r.child
    from parent_repairs r
    where r.kind = 'cut' -- one at least on every cycle
    union
    select l.parent
    from walk w
    join edges l on l.child = w.entry and l.kind = 'parent'
)
select e.uuid, q.uuid as parent_uuid
from walk w
join edges l on l.child = w.entry and l.kind = 'parent'
join entries q on q.id = l.parent
join entries e on e.id = l.child
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
order by o.timestamp_ms, s.path, o.generation, o.offset
