-- Pairs of sessions with an edge between their entries, where at least one end is a given entry.
-- params:  entries (JSON)
-- columns: session, other
with changed(entry, session) as materialized (
    select e.id, e.session
    from json_each(:entries) j
    cross join owned_entries e on e.id = j.value
)
select c.session, e.session as other
from changed c
cross join edges l on l.child = c.entry
join owned_entries e on e.id = l.parent
where e.session <> c.session
union
select c.session, e.session
from changed c
cross join edges l on l.parent = c.entry
join owned_entries e on e.id = l.child
where e.session <> c.session
