-- Abandoned branches with their first prompt and cost, latest first.
-- group: Branches and sessions
-- The cost does not include subagents.
with costs as (
    select e.line_id, sum(r.est_cost_usd) as usd
    from v1_responses r
    join v1_entries e on e.uuid = r.uuid
    where r.is_wrapped = 0
    group by e.line_id
)
select
    l.first_timestamp,
    (
        select substr(e.text, 1, 100)
        from v1_entries e
        where e.line_id = l.line_id and e.form = 'typed'
        order by e.position
        limit 1
    ) as first_prompt,
    l.entry_count as entries,
    round((l.last_timestamp_ms - l.first_timestamp_ms) / 60000.0, 1) as minutes,
    round(c.usd, 2) as usd,
    l.line_id
from v1_lines l
left join costs c on c.line_id = l.line_id
where l.kind = 'branch' and l.is_active = 0
order by l.first_timestamp_ms desc, l.line_id
limit 20
