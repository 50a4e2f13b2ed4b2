-- Sets the outcome and duration of the pairs of the given calls. This is the only definition of the outcomes.
-- rule: call_outcome
-- params:  calls (JSON, encoded ids)
update tool_pairs
set outcome = x.outcome, duration_ms = x.duration_ms
from (
    select
        p.tool_use_id,
        p.session,
        case
            when p.result is null then 'pending'
            when f.form = 'rejection' then 'refused'
            when f.form = 'interrupt' then 'interrupted'
            when r.is_error = 1 then 'error'
            else 'ok'
        end as outcome,
        -- includes the time spent waiting for permission
        case when p.use is not null then (
            select o.timestamp_ms from owned_entries o where o.id = p.result
        ) - p.timestamp_ms end as duration_ms
    from (
        select replace(replace(value, '\0', char(0)), '\1', '\') as id
        from json_each(:calls)
    ) w
    cross join tool_pairs p on p.tool_use_id = w.id
    left join entries a on a.id = p.result
    left join entry_traits f on f.id = a.traits
    left join tool_results r on r.entry = p.result and r.idx = p.result_idx
) x
where tool_pairs.tool_use_id = x.tool_use_id and tool_pairs.session = x.session
