-- Deletes the pairs of some calls and returns the sessions that they were in.
-- params:  calls (JSON, encoded ids)
-- columns: session
delete from tool_pairs
where tool_use_id in (select replace(replace(value, '\0', char(0)), '\1', '\') from json_each(:calls))
returning session
