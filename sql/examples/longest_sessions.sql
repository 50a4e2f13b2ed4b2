-- The sessions with the longest active time.
-- group: Cost and usage
-- Active time is the sum of all gaps of at most ten minutes between prompts and responses. Longer gaps count as pauses.
with
instants as (
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
    from instants
),
active as (
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
from active t
join v1_sessions s on s.session_id = t.session_id
order by t.ms desc, s.session_id
limit 20
