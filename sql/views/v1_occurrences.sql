create view v1_occurrences as
-- One row per JSON object in a transcript; a line may hold two.
select
    e.uuid, -- NULL for lines without one
    i.session_id, -- the one it claims: its own, else its folder's, its neighbour's or the file's
    s.path as source_path,
    o.line_no, -- from 1
    o.offset as byte_offset,
    o.length as byte_length, -- of the object alone
    o.type,
    o.is_owner, -- 1: the entry takes its content from this copy
    o.is_current, -- 0: only an earlier generation of a rewritten file holds it
    o.generation, -- of the file, from 1
    o.timestamp_ms, -- its instant, a neighbour's if it has none
    o.has_own_timestamp as is_stamped -- 1: the instant is its own
from occurrences o
left join entries e on e.id = o.entry
left join session_ids i on i.id = o.session
left join sources s on s.id = o.source
