create view v1_occurrences as
-- One row per JSON object in a transcript. A line can contain more than one object.
select
    e.uuid, -- uuid of the entry; NULL for a record
    i.session_id, -- session that the object belongs to, as recorded, or derived from its folder, a neighbouring object or the file name
    s.path as source_path, -- file that contains the object
    o.line_no, -- line number in that file, from 1
    o.offset as byte_offset, -- offset of the object in the file, in bytes
    o.length as byte_length, -- length of the object in bytes
    o.type, -- type as recorded
    o.is_owner, -- 1 if the entry's content comes from this occurrence
    o.is_current, -- 0 if only an earlier generation of a rewritten file contains the object
    o.generation, -- generation of the file, from 1
    o.timestamp_ms, -- timestamp in milliseconds since the Unix epoch, taken from a neighbouring object if none was recorded
    o.has_own_timestamp as is_stamped -- 1 if the object has a timestamp of its own
from occurrences o
left join entries e on e.id = o.entry
left join session_ids i on i.id = o.session
left join sources s on s.id = o.source
