-- Transcripts that were deleted from disk and now exist only in the archive.
-- group: The index
-- `ccindex restore` writes them back to files.
select
    project,
    kind,
    lines,
    size as bytes,
    last_indexed_at,
    path
from v1_sources
where state = 'missing' and kind in ('session', 'agent')
order by last_indexed_at desc, path
limit 20
