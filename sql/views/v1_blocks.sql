create view v1_blocks as
-- One row per content block of an entry. Content that is a string counts as one text block.
select
    k.uuid, -- entry that contains the block
    k.idx, -- index of the block in the entry, from 0
    k.type, -- text, thinking, tool_use, tool_result, image, ...
    (select b.text from blocks b where b.id = k.id) as text, -- text of the block
    k.tool_use_id, -- id of the call, for a tool_use or tool_result block
    k.tool_name, -- name of the tool, for a tool_use block
    (select u.input from tool_uses u where u.rowid = k.call) as input, -- input as JSON, for a tool_use block
    k.is_error, -- 1 if a tool_result block is marked as an error; NULL if not recorded
    k.byte_size, -- size in bytes of the UTF-8 text or input, or of the encoded image
    k.media_type, -- media type of an image, or of the first image in a tool_result block
    (select b.details from blocks b where b.id = k.id) as details -- content that the other columns do not cover, as JSON
from (
    -- the ids and the small columns; see docs/contributing.md, "Add a view"
    select
        b.id,
        e.uuid,
        b.idx,
        b.type,
        cast(coalesce(u.tool_use_id, r.tool_use_id) as text) as tool_use_id,
        u.name as tool_name,
        u.rowid as call,
        r.is_error,
        b.byte_size,
        b.media_type
    from blocks b
    left join entries e on e.id = b.entry
    left join tool_uses u on u.entry = b.entry and u.idx = b.idx
    left join tool_results r on r.entry = b.entry and r.idx = b.idx
) k
