-- Marks the occurrences of entries that the index already had as copies.
-- params:  occurrences (the last id before the shard was added), copies (JSON, entries)
update main.occurrences
set is_owner = 0, has_copies = 1
where id > :occurrences and entry in (select value from json_each(:copies))
