-- Pairs of sessions with an edge between their entries; at least one end is among some entries.
-- params:  entries (JSON)
-- columns: session, other
with changed(entry, session) as materialized (
    select e.id, o.session
    from json_each(:entries) j
    cross join entries e on e.id = j.value
    join occurrences o on o.id = e.occurrence
)
select c.session, o.session as other
from changed c
cross join edges l on l.child = c.entry
join entries e on e.id = l.parent
join occurrences o on o.id = e.occurrence
where o.session <> c.session
union
select c.session, o.session
from changed c
cross join edges l on l.parent = c.entry
join entries e on e.id = l.child
join occurrences o on o.id = e.occurrence
where o.session <> c.session
