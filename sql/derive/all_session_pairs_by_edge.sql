-- All pairs of sessions with an edge between their entries.
-- columns: session, other
select distinct e.session, f.session as other
from edges l
cross join owned_entries e on e.id = l.child
cross join owned_entries f on f.id = l.parent
where f.session <> e.session
