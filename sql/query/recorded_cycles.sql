-- The recorded parents of all entries on cycles, and of some entries that lead to cycles, by time of the child.
-- columns: entry, parent, session_id (of the child), parent_uuid
with recursive walk(entry) as ( -- ids only, so that `union` ends the walk at a repeated id
    select r.child
    from parent_repairs r
    where r.kind = 'cut' -- every cycle has at least one cut
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
