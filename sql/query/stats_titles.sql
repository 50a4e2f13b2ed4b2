-- What people know a session by.
-- params:  session_id
-- columns: title, project
select
    coalesce(x.title, x.first_prompt) as title,
    x.project
from v1_sessions x
where x.session_id = :session_id
