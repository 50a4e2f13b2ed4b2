-- Pairs of sessions with an edge between their entries.
-- columns: session, other
select distinct c.session, p.session as other
from edges l
cross join entries e on e.id = l.child
cross join occurrences c on c.id = e.occurrence
cross join entries f on f.id = l.parent
cross join occurrences p on p.id = f.occurrence
where p.session <> c.session
