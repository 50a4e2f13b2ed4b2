create view v1_plans as
-- One row per plan that was put forward, or that a session was started with.
select
    i.session_id,
    e.uuid,
    u.tool_use_id,
    e.timestamp,
    coalesce(
        nullif(json_extract(u.input, '$.plan'), ''),
        case
            when instr(b.text, '## Approved Plan:') > 0
                then trim(substr(b.text, instr(b.text, '## Approved Plan:') + 17), char(10) || ' ')
        end,
        json_extract(x.facts, '$.plan')
    ) as text,
    case coalesce(p.outcome, 'pending')
        when 'pending' then 'pending'
        when 'ok' then 'approved'
        else 'rejected'
    end as status, -- approved, rejected, pending; given: the session was started with it
    x.file_path,
    l.line_id, -- NULL: it was set aside
    e.timestamp_ms
from tool_uses u
join owned_entries e on e.id = u.entry
join session_ids i on i.id = e.session
-- a call without an id has no pair
left join tool_pairs p on p.tool_use_id = u.tool_use_id and p.session = e.session
left join blocks b on b.entry = p.result and b.idx = p.result_idx
left join tool_outcomes x on x.entry = p.result and not exists (
    -- what was recorded beside several results may be of any of them
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
