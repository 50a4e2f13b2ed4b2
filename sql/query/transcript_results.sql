-- Results of the tool calls in the given entries.
-- params:  entries (JSON array of entry keys)
-- columns: use (entry of the call), tool_use_id, result (entry of the result), idx, uuid, outcome, set_aside, duration_ms,
-- columns: text, media_type, byte_size, details
select
    p.use,
    p.tool_use_id,
    p.result,
    p.result_idx,
    e.uuid,
    p.outcome,
    w.set_aside_reason,
    p.duration_ms,
    b.text,
    b.media_type,
    b.byte_size,
    b.details
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
cross join tool_pairs p on p.tool_use_id = u.tool_use_id and p.use = u.entry and p.use_idx = u.idx
join entries e on e.id = p.result
left join blocks b on b.entry = p.result and b.idx = p.result_idx
left join placements w on w.entry = p.result
