-- Pairs of sessions where a last-prompt or fork-context-ref record of one refers to a given entry of the other.
-- params:  entries (JSON)
-- columns: session, other
select distinct o.session, e.session as other
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
cross join records r on r.leaf = e.uuid
join occurrences o on o.id = r.occurrence and o.type in ('last-prompt', 'fork-context-ref')
where e.session <> o.session
