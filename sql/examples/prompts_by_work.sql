-- The prompts with the most responses before the next prompt.
-- group: Prompts and todos
-- Subagent responses are not counted.
with
turns as (
    select
        line_id,
        position,
        lead(position) over (partition by line_id order by position) as until,
        timestamp,
        project,
        text
    from v1_entries
    where form = 'typed' and is_sidechain = 0 and line_id is not null
),
answers as (
    select e.line_id, e.position, r.timestamp_ms, r.output_tokens, r.est_cost_usd
    from v1_responses r
    join v1_entries e on e.uuid = r.uuid
    where r.agent_id is null
)
select
    t.timestamp,
    t.project,
    substr(t.text, 1, 60) as prompt,
    count(*) as responses,
    sum(a.output_tokens) as tokens_written,
    round((max(a.timestamp_ms) - min(a.timestamp_ms)) / 60000.0, 1) as minutes,
    round(sum(a.est_cost_usd), 2) as usd
from turns t
join answers a on a.line_id = t.line_id
    and a.position > t.position
    and (t.until is null or a.position < t.until)
group by t.line_id, t.position
order by responses desc, tokens_written desc, t.timestamp, t.line_id
limit 20
