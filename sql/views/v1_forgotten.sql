create view v1_forgotten as
-- One row per session or project that `ccindex forget` removed. `ccindex ingest` does not index it again.
select
    kind, -- session or project
    name, -- session id or project name
    forgotten_at -- time when it was forgotten
from tombstones
where kind in ('session', 'project')
