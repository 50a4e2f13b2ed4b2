-- The texts of entries and queued words that were found, besides their content blocks.
-- params:  entries (JSON array of entries; negative: the occurrences that queued words)
-- columns: entry, kind, is_typed, text
select e.id, e.kind, e.is_typed, e.text
from json_each(:entries) j
cross join entries e on e.id = j.value
union all
select -q.occurrence, 'prompt', 1, q.text
from json_each(:entries) j
cross join queued_words q on q.occurrence = -j.value
