create view v1_forgotten as
-- One row per session or project that `ccindex forget` removed and that `ccindex ingest` does not read again.
select
    kind, -- session or project
    name, -- session id or name of the project
    forgotten_at -- time when it was forgotten
from tombstones
where kind in ('session', 'project')
