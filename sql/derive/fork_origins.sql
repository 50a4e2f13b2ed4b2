-- The given entries that were forked from others, with the original entry and its recorded session id.
-- params:  entries (JSON)
-- columns: entry, original, session_id
select
    l.child,
    l.parent,
    case
        when json_valid(d.json) and json_type(d.json, '$.forkedFrom.sessionId') = 'text'
            then json_extract(d.json, '$.forkedFrom.sessionId')
    end as session_id
from json_each(:entries) j
cross join edges l on l.child = j.value and l.kind = 'forked_from'
join entries e on e.id = l.child
left join extra_json d on d.id = e.details
