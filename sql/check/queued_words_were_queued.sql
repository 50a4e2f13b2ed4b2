-- Queued text comes from an enqueue operation of its session, and the session is in the index.
select q.occurrence
from queued_words q
left join occurrences o on o.id = q.occurrence and o.type = 'queue-operation' and o.entry is null
left join records r on r.occurrence = o.id
left join sessions x on x.session = q.session
where o.session is not q.session
    or x.session is null
    or json_extract(r.payload, '$.operation') is not 'enqueue'
