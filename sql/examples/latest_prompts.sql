-- What was asked last.
-- group: What was asked
select
    timestamp,
    project,
    substr(text, 1, 100) as prompt,
    session_id
from v1_entries
where form = 'typed' and is_sidechain = 0
order by timestamp_ms desc, uuid
limit 20
