-- Sessions by number, as people know them.
-- columns: session, session_id, title, project
select
    i.id,
    x.session_id,
    coalesce(x.title, x.first_prompt) as title,
    x.project
from v1_sessions x
join session_ids i on i.session_id = x.session_id
