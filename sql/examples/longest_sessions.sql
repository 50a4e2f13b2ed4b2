-- The sessions in which most time was spent.
-- group: What it took
-- Gaps of at most ten minutes between one prompt or response and the next are added up; longer ones were pauses.
with
moments as (
    select session_id, timestamp_ms
    from v1_responses
    union all
    select session_id, timestamp_ms
    from v1_entries
    where form = 'typed' and is_sidechain = 0
),
gaps as (
    select
        session_id,
        timestamp_ms - lag(timestamp_ms) over (partition by session_id order by timestamp_ms) as ms
    from moments
),
spent as (
    select session_id, sum(ms) as ms
    from gaps
    where ms <= 600000
    group by session_id
)
select
    substr(s.first_timestamp, 1, 10) as day,
    s.project,
    coalesce(s.title, substr(s.first_prompt, 1, 60)) as title,
    round(t.ms / 60000.0, 1) as minutes_active,
    round((s.last_timestamp_ms - s.first_timestamp_ms) / 60000.0, 1) as minutes_with_pauses,
    s.session_id
from spent t
join v1_sessions s on s.session_id = t.session_id
order by t.ms desc, s.session_id
limit 20
