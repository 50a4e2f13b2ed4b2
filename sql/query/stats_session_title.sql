-- The title, else the first prompt, and the project of a session.
-- params:  session_id
-- columns: title, project
select
    coalesce(x.title, x.first_prompt) as title,
    x.project
from v1_sessions x
where x.session_id = :session_id
