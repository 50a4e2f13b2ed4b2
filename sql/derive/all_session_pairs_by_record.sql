-- All pairs of sessions where a last-prompt or fork-context-ref record of one refers to an entry of the other.
-- columns: session, other
select distinct o.session, e.session as other
from records r
cross join occurrences o on o.id = r.occurrence and o.type in ('last-prompt', 'fork-context-ref')
join owned_entries e on e.uuid = r.leaf
where r.leaf is not null and e.session <> o.session
