-- Sessions with the most compactions.
-- group: Cost and usage
select
    s.project,
    coalesce(s.title, substr(s.first_prompt, 1, 60)) as title,
    count(*) as compactions,
    count(*) filter (where c.trigger = 'auto') as automatic,
    max(c.pre_tokens) as max_tokens,
    sum(c.pre_tokens - c.post_tokens) as tokens_saved,
    max(c.timestamp) as last_compaction,
    s.session_id
from v1_compactions c
join v1_sessions s on s.session_id = c.session_id
group by s.session_id
order by compactions desc, last_compaction desc, s.session_id
limit 20
