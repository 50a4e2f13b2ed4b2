-- The Task and Agent calls of some assistant entries, with what they asked for.
-- params:  entries (JSON)
-- columns: entry, tool_use_id, prompt, name
select
    u.entry,
    u.tool_use_id,
    -- what is deeper than SQLite reads is not for us to compare
    case
        when json_valid(u.input) and json_type(u.input, '$.prompt') = 'text' then json_extract(u.input, '$.prompt')
    end as prompt,
    case
        when json_valid(u.input) and json_type(u.input, '$.name') = 'text' then json_extract(u.input, '$.name')
    end as name
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
where u.name in ('Task', 'Agent')
order by u.entry, u.idx
