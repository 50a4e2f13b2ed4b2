create view v1_forgotten as
-- One row per session or project that `ccindex forget` took out and that does not come back.
select
    kind, -- session, project
    name, -- session id or project
    forgotten_at
from tombstones
where kind in ('session', 'project')
