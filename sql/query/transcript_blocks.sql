-- Content blocks of the given entries, unsorted, with the position of the call that a result belongs to.
-- params:  entries (JSON array of entry keys)
-- columns: entry, call_line, call_position (both NULL: no call on a line), then as in v1_blocks: type, text, tool_use_id,
-- columns: tool_name, input, is_error, byte_size, media_type, details, idx
select
    b.entry,
    w.line,
    w.position,
    b.type,
    b.text,
    coalesce(u.tool_use_id, r.tool_use_id),
    u.name,
    u.input,
    r.is_error,
    b.byte_size,
    b.media_type,
    b.details,
    b.idx
from json_each(:entries) j
cross join blocks b on b.entry = j.value
left join tool_uses u on u.entry = b.entry and u.idx = b.idx
left join tool_results r on r.entry = b.entry and r.idx = b.idx
left join tool_pairs p on p.tool_use_id = r.tool_use_id and p.result = b.entry and p.result_idx = b.idx
left join placements w on w.entry = p.use
