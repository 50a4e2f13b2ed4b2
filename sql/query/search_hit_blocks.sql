-- Content blocks of the given search hits, in order, with the inputs of tool calls.
-- params:  entries (JSON array of entry keys)
-- columns: entry, idx, type, text, input (NULL: not a tool call)
select b.entry, b.idx, b.type, b.text, u.input
from json_each(:entries) j
cross join blocks b on b.entry = j.value
left join tool_uses u on u.entry = b.entry and u.idx = b.idx
order by b.entry, b.idx
