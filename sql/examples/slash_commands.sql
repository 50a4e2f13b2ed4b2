-- Slash commands by number of uses.
-- group: Prompts and todos
select
    name,
    count(*) as uses,
    count(distinct session_id) as sessions,
    max(timestamp) as last_used
from v1_commands
where kind = 'slash'
group by name
order by uses desc, name
limit 20
