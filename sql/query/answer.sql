-- The result that answers a call.
-- params:  entry, tool_use_id
-- columns: uuid, is_error, form, set_aside, took_ms, text, media_type, byte_size, details, idx
select
    e.uuid,
    coalesce(r.is_error, 0),
    e.form,
    w.set_aside_reason,
    ro.timestamp_ms - uo.timestamp_ms,
    b.text,
    b.media_type,
    b.byte_size,
    b.details,
    p.result_idx
from tool_pairs p
join entries u on u.id = p.use
join occurrences uo on uo.id = u.occurrence
join entries e on e.id = p.result
join occurrences ro on ro.id = e.occurrence
join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join blocks b on b.entry = p.result and b.idx = p.result_idx
left join placements w on w.entry = p.result
where p.tool_use_id = :tool_use_id and p.use = :entry
