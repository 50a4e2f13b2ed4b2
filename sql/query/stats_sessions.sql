-- The id and project of every session.
-- columns: session, session_id, project
select
    x.session,
    i.session_id,
    x.project
from sessions x
join session_ids i on i.id = x.session
