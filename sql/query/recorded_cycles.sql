-- The recorded parents of all entries on a cycle of them, and of some that are on none, by time of the child.
-- columns: entry, parent, session_id (the child's), parent_uuid
with recursive walk(entry) as ( -- ids alone: a repeated one ends the walk
    select r.child
    from parent_repairs r
    where r.kind = 'cut' -- at least one on every cycle
    union
    select l.parent
    from walk w
    join edges l on l.child = w.entry and l.kind = 'parent'
)
select l.child as entry, l.parent, i.session_id, q.uuid as parent_uuid
from walk w
join edges l on l.child = w.entry and l.kind = 'parent'
join entries q on q.id = l.parent
join owned_entries e on e.id = l.child
join session_ids i on i.id = e.session
join sources s on s.id = e.source
order by e.timestamp_ms, s.path, e.generation, e.offset
