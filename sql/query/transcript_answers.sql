-- The results that answer the calls of entries.
-- params:  entries (JSON array of entries)
-- columns: use (the call's entry), tool_use_id, result (its entry), idx, uuid, is_error, form, set_aside, took_ms, text,
-- columns: media_type, byte_size, details
select
    p.use,
    p.tool_use_id,
    p.result,
    p.result_idx,
    e.uuid,
    coalesce(r.is_error, 0),
    e.form,
    w.set_aside_reason,
    e.timestamp_ms - ue.timestamp_ms,
    b.text,
    b.media_type,
    b.byte_size,
    b.details
from json_each(:entries) j
cross join tool_uses u on u.entry = j.value
cross join tool_pairs p on p.tool_use_id = u.tool_use_id and p.use = u.entry and p.use_idx = u.idx
join owned_entries ue on ue.id = p.use
join owned_entries e on e.id = p.result
join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join blocks b on b.entry = p.result and b.idx = p.result_idx
left join placements w on w.entry = p.result
