-- Deletes the pairs of the given calls and returns their sessions.
-- params:  calls (JSON, encoded ids)
-- columns: session
delete from tool_pairs
where tool_use_id in (select replace(replace(value, '\0', char(0)), '\1', '\') from json_each(:calls))
returning session
