-- Sessions by number, each with its id and its project.
-- columns: session, session_id, project
select
    x.session,
    i.session_id,
    x.project
from sessions x
join session_ids i on i.id = x.session
