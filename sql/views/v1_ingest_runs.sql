create view v1_ingest_runs as
-- One row per run of `ccindex ingest` that changed something.
select
    id as run_id,
    started_at,
    finished_at,
    files_seen,
    files_read,
    bytes_read,
    lines_read,
    entries_added,
    malformed_lines,
    status -- running, ok, interrupted, failed
from ingest_runs
