-- Texts of the given search hits (entries or queued text), excluding the texts of content blocks.
-- params:  entries (JSON array of entry keys; negative: the occurrence that queued the text)
-- columns: entry, kind, is_typed, text
select e.id, e.kind, e.is_typed, e.text
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
union all
select -q.occurrence, 'prompt', 1, q.text
from json_each(:entries) j
cross join queued_words q on q.occurrence = -j.value
