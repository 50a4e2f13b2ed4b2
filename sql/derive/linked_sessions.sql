-- Pairs of sessions that links of the entries in temp.whose lead between.
-- columns: session, other
select c.session, p.session as other
from temp.whose c
cross join edges l on l.child = c.entry
cross join temp.whose p on p.entry = l.parent
where p.session <> c.session
union
-- what lies outside temp.whose, above and below
select c.session, e.session
from temp.whose c
cross join edges l on l.child = c.entry and l.parent not in (select entry from temp.whose)
join owned_entries e on e.id = l.parent
where e.session <> c.session
union
select c.session, e.session
from temp.whose c
cross join edges l on l.parent = c.entry and l.child not in (select entry from temp.whose)
join owned_entries e on e.id = l.child
where e.session <> c.session
