-- Texts and tool_use ids of the given entries, except texts of messages whose content is a string (rule: entry_text).
-- params:  entries (JSON)
-- columns: entry, is_text, content
select b.entry, 1 as is_text, b.text as content
from json_each(:entries) j
cross join messages m on m.entry = j.value and m.has_plain_text = 0
cross join blocks b on b.entry = j.value and b.type = 'text' and b.text <> ''
union all
select u.entry, 0, u.tool_use_id
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
where u.tool_use_id is not null
