create view v1_file_touches as
-- One row per tool call and file that the call refers to.
select
    h.path, -- path as written in the call
    h.operation, -- read, write, edit, notebook or search
    u.tool_use_id, -- id of the call
    e.uuid, -- entry that contains the call
    i.session_id, -- session that the call belongs to
    l.line_id, -- line that contains the call; NULL if the call was set aside
    e.timestamp, -- timestamp of the call as recorded
    coalesce(l.is_active, 0) as on_active_path, -- 1 if the call is on an active line; 0 if it is on an abandoned branch or was set aside
    e.timestamp_ms, -- time of the call in milliseconds since the Unix epoch
    u.name as tool_name, -- name of the tool
    t.agent_id, -- subagent that made the call; NULL for the session itself
    c.cwd, -- working directory, the base of relative paths
    case when p.result is not null then coalesce(r.is_error, 0) end as is_error, -- 1 if the result is marked as an error; NULL if there is no result yet
    x.lines_added, -- number of lines added, from the structured patch
    x.lines_removed -- number of lines removed, from the structured patch
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
    -- if an entry has several results, the transcript does not record which of them toolUseResult describes
    select 1 from tool_results y where y.entry = p.result and y.idx <> p.result_idx
)
