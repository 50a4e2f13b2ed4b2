create view v1_forgotten as
-- One row per thing that `ccindex forget` took out and that does not come back.
select
    kind, -- session, project, file (of a session, where its path does not say so), leaf (that a summary elsewhere may name)
    name, -- session id, project, path or uuid
    forgotten_at
from forgotten
