-- Deletes the pairs of the given calls and returns their sessions and timestamps.
-- params:  calls (JSON, encoded ids)
-- columns: session, timestamp_ms
delete from tool_pairs
where tool_use_id in (select replace(replace(value, '\0', char(0)), '\1', '\') from json_each(:calls))
returning session, timestamp_ms
