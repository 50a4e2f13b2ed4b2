-- Pairs of sessions: one has a last-prompt or fork-context-ref record that names an entry of the other.
-- The uuids of the entries to look at are in temp.wanted.
-- columns: session, other
select distinct o.session, e.session as other
from temp.wanted n
cross join records r on r.leaf = n.id
join occurrences o on o.id = r.occurrence and o.type in ('last-prompt', 'fork-context-ref')
join owned_entries e on e.uuid = n.id
where e.session <> o.session
