-- The hours of the week with the most prompts.
-- group: Prompts and todos
-- Hours are in UTC. For local time, add 'localtime' after 'unixepoch'.
with prompts as (
    select
        strftime('%w', timestamp_ms / 1000, 'unixepoch') as day_number,
        strftime('%H', timestamp_ms / 1000, 'unixepoch') as hour,
        session_id
    from v1_prompts
)
select
    substr('SunMonTueWedThuFriSat', 1 + 3 * day_number, 3) as weekday,
    hour,
    count(*) as prompts,
    count(distinct session_id) as sessions
from prompts
group by day_number, hour
order by count(*) desc, day_number, hour
limit 20
