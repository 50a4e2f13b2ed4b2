-- The project and title of a session. Without a title, the first prompt is returned instead.
-- params:  session_id
-- columns: title, project
select
    coalesce(x.title, x.first_prompt) as title,
    x.project
from v1_sessions x
where x.session_id = :session_id
