-- Files by number of edits.
-- group: Tools and files
-- Changes made by shell commands are not included.
select
    path,
    count(*) as edits,
    count(distinct session_id) as sessions,
    sum(lines_added) as added,
    sum(lines_removed) as removed,
    max(timestamp) as last_edit
from v1_file_touches
where (operation in ('edit', 'write') or tool_name = 'NotebookEdit') and is_error = 0
group by path
order by edits desc, path
limit 20
