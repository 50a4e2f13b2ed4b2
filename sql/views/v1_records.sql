create view v1_records as
-- One row per line without a uuid: queue operations, snapshots, summaries, titles, modes, links.
select
    s.path as source_path,
    o.line_no,
    o.type,
    i.session_id, -- the one it claims
    r.timestamp, -- as recorded
    r.payload, -- JSON, images left out
    o.offset as byte_offset,
    o.is_current -- 0: only an earlier generation of a rewritten file holds it
from records r
join occurrences o on o.id = r.occurrence
left join session_ids i on i.id = o.session
left join sources s on s.id = o.source
