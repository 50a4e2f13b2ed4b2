create view v1_plans as
-- One row per plan that Claude proposed or that a session was started with.
select
    i.session_id, -- session that the plan belongs to
    e.uuid, -- entry that contains the plan
    u.tool_use_id, -- id of the call that proposed the plan; NULL if the session was started with the plan
    e.timestamp, -- timestamp as recorded
    coalesce(
        nullif(json_extract(u.input, '$.plan'), ''),
        case
            when instr(b.text, '## Approved Plan:') > 0
                then trim(substr(b.text, instr(b.text, '## Approved Plan:') + 17), char(10) || ' ')
        end,
        (select json_extract(d.json, '$.plan') from extra_json d where d.id = x.facts)
    ) as text, -- text of the plan
    case coalesce(p.outcome, 'pending')
        when 'pending' then 'pending'
        when 'ok' then 'approved'
        else 'rejected'
    end as status, -- approved, rejected, pending, or given (the session was started with it)
    x.file_path, -- file that contains the plan
    l.line_id, -- line that contains the entry; NULL if the entry was set aside
    e.timestamp_ms -- timestamp in milliseconds since the Unix epoch
from tool_uses u
join owned_entries e on e.id = u.entry
join session_ids i on i.id = e.session
-- a call without an id has no pair
left join tool_pairs p on p.tool_use_id = u.tool_use_id and p.session = e.session
left join blocks b on b.entry = p.result and b.idx = p.result_idx
left join tool_outcomes x on x.entry = p.result and not exists (
    -- if an entry has several results, the transcript does not record which of them toolUseResult describes
    select 1 from tool_results y where y.entry = p.result and y.idx <> p.result_idx
)
left join placements w on w.entry = e.id
left join lines l on l.id = w.line
where u.name in ('ExitPlanMode', 'exit_plan_mode')
union all
select
    i.session_id,
    e.uuid,
    null,
    e.timestamp,
    json_extract(d.json, '$.planContent'),
    'given',
    null,
    l.line_id,
    e.timestamp_ms
from extra_json d
join owned_entries e on e.details = d.id
join session_ids i on i.id = e.session
left join placements w on w.entry = e.id
left join lines l on l.id = w.line
where instr(d.json, '"planContent"') and json_valid(d.json) and json_type(d.json, '$.planContent') = 'text'
