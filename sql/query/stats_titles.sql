-- What people know some sessions by.
-- params:  session_ids (a JSON list)
-- columns: session_id, title, project
select
    x.session_id,
    coalesce(x.title, x.first_prompt) as title,
    x.project
from json_each(:session_ids) j
cross join v1_sessions x on x.session_id = j.value
