create view v1_records as
-- One row per record (an object without a uuid), such as a queue operation, snapshot, summary, title or mode.
select
    s.path as source_path, -- file that contains the record
    o.line_no, -- line number in that file, from 1
    o.type, -- type as recorded
    i.session_id, -- session that the record belongs to
    r.timestamp, -- timestamp as recorded
    r.payload, -- the record as JSON, without images
    o.offset as byte_offset, -- offset of the record in the file, in bytes
    o.is_current -- 0 if only an earlier generation of a rewritten file contains the record
from records r
join occurrences o on o.id = r.occurrence
left join session_ids i on i.id = o.session
left join sources s on s.id = o.source
