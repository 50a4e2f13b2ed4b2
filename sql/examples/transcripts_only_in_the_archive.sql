-- Transcripts that are gone from the disk, so that only the archive has them.
-- group: The index itself
-- The command `restore` gives them back.
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
