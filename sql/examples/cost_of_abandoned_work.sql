-- Cost of abandoned work per session: abandoned branches, and the subagents and sessions below them.
-- group: Branches and sessions
select
    l.session_id,
    coalesce(s.title, substr(s.first_prompt, 1, 60)) as title,
    count(distinct l.line_id) as lines,
    count(*) as responses,
    sum(r.output_tokens) as output_tokens,
    round(sum(r.est_cost_usd), 4) as usd
from v1_responses r
join v1_entries e on e.uuid = r.uuid
left join v1_set_aside a on a.uuid = e.uuid
join v1_lines l on l.line_id = coalesce(e.line_id, a.line_id)
join v1_sessions s on s.session_id = l.session_id
where l.is_active = 0
group by l.session_id
order by usd desc, l.session_id
limit 20
