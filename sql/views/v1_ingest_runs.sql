create view v1_ingest_runs as
-- One row per run of `ccindex ingest` that changed the index.
select
    id as run_id, -- number of the run
    started_at, -- time when the run started
    finished_at, -- time when the run finished; NULL if it has not finished
    files_seen, -- number of files found
    files_read, -- number of files read
    bytes_read, -- number of bytes read
    lines_read, -- number of lines read
    entries_added, -- number of new entries
    malformed_lines, -- number of lines read that are not JSON objects
    status -- running, ok, interrupted or failed
from ingest_runs
