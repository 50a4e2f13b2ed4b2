create view v1_file_touches as
-- One row per file named by a tool call.
select
    h.path, -- as the call names it
    h.operation, -- read, write, edit, notebook, search
    u.tool_use_id,
    e.uuid, -- of the call
    i.session_id,
    l.line_id, -- NULL: the call was set aside
    e.timestamp,
    coalesce(l.is_active, 0) as on_active_path, -- 0: an abandoned branch, or set aside
    e.timestamp_ms,
    u.name as tool_name,
    t.agent_id, -- whose call it is; NULL: the session's own
    c.cwd, -- what a path that is not absolute starts from
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error, -- NULL: no result yet
    x.lines_added, -- by the structured patch
    x.lines_removed
from file_touches h
join owned_entries e on e.id = h.entry
join session_ids i on i.id = e.session
left join tool_uses u on u.entry = h.entry and u.idx = h.idx
left join entry_contexts c on c.id = e.context
left join placements w on w.entry = h.entry
left join lines l on l.id = w.line
left join threads t on t.id = w.thread
left join tool_pairs p on p.tool_use_id = u.tool_use_id and p.session = e.session
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
left join tool_outcomes x on x.entry = p.result and not exists (
    -- what was recorded beside several results may be of any of them
    select 1 from tool_results y where y.entry = p.result and y.idx <> p.result_idx
)
