-- Slash commands by use.
-- group: What was asked
select
    name,
    count(*) as times,
    count(distinct session_id) as sessions,
    max(timestamp) as last_used
from v1_commands
where kind = 'slash'
group by name
order by times desc, name
limit 20
