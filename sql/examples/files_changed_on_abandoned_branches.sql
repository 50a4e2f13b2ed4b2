-- Files changed on abandoned branches.
-- group: Tools and files
-- The changes may still be on disk. Changes made by shell commands are not included.
select
    path,
    count(*) filter (where operation = 'write') as writes,
    count(*) filter (where operation <> 'write') as edits,
    max(timestamp) as last_change,
    line_id
from v1_file_touches
where (operation in ('edit', 'write') or tool_name = 'NotebookEdit') and on_active_path = 0 and is_error = 0 and line_id is not null
group by line_id, path
order by last_change desc, line_id, path
limit 20
