-- The latest failed shell commands with their output.
-- group: Tools and files
select
    p.timestamp,
    p.exit_code,
    p.command,
    substr(r.text, 1, 200) as output,
    p.session_id
from v1_tool_pairs p
join v1_entries r on r.uuid = p.result_uuid
where p.command is not null and p.outcome = 'error'
order by p.timestamp_ms desc, p.tool_use_id
limit 20
