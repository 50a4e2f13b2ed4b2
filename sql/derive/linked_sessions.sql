-- Pairs of sessions that links of the entries in temp.changed lead between.
-- columns: session, other
select a.session, b.session as other
from temp.changed c
cross join entries x on x.id = c.entry
cross join occurrences a on a.id = x.occurrence
cross join edges l on l.child = x.id
join entries p on p.id = l.parent
join occurrences b on b.id = p.occurrence
where b.session <> a.session
union
select a.session, b.session
from temp.changed c
cross join entries x on x.id = c.entry
cross join occurrences a on a.id = x.occurrence
cross join edges l on l.parent = x.id
join entries k on k.id = l.child
join occurrences b on b.id = k.occurrence
where b.session <> a.session
