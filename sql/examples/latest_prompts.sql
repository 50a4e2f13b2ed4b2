-- The latest prompts.
-- group: Prompts and todos
select
    timestamp,
    project,
    substr(text, 1, 100) as prompt,
    session_id
from v1_prompts
order by timestamp_ms desc, source_path, line_no
limit 20
