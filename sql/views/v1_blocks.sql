create view v1_blocks as
-- One row per content block of an entry; a string content is one text block.
select
    e.uuid,
    b.idx, -- from 0
    b.type, -- text, thinking, tool_use, tool_result, image, ...
    b.text,
    coalesce(u.tool_use_id, r.tool_use_id) as tool_use_id,
    u.name as tool_name,
    u.input, -- JSON, of a tool_use
    r.is_error, -- of a tool_result; NULL: not recorded
    b.byte_size, -- of the text or input in UTF-8, of an image as encoded
    b.media_type, -- of an image, or the first one in a tool_result
    b.details -- JSON of a block type without columns here
from blocks b
left join entries e on e.id = b.entry
left join tool_uses u on u.entry = b.entry and u.idx = b.idx
left join tool_results r on r.entry = b.entry and r.idx = b.idx
