create view v1_blocks as
-- One row per content block of an entry. Content that is a string counts as one text block.
select
    e.uuid, -- entry that contains the block
    b.idx, -- index of the block in the entry, from 0
    b.type, -- text, thinking, tool_use, tool_result, image, ...
    b.text, -- text of the block
    coalesce(u.tool_use_id, r.tool_use_id) as tool_use_id, -- id of the call, for a tool_use or tool_result block
    u.name as tool_name, -- name of the tool, for a tool_use block
    u.input, -- input as JSON, for a tool_use block
    r.is_error, -- 1 if a tool_result block is marked as an error; NULL if not recorded
    b.byte_size, -- size in bytes of the UTF-8 text or input, or of the encoded image
    b.media_type, -- media type of an image, or of the first image in a tool_result block
    b.details -- content that the other columns do not cover, as JSON
from blocks b
left join entries e on e.id = b.entry
left join tool_uses u on u.entry = b.entry and u.idx = b.idx
left join tool_results r on r.entry = b.entry and r.idx = b.idx
