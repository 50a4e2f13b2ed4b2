-- Every content row and every edge belongs to an entry that has an owner, and every parent in an edge exists.
with parts(part, entry) as (
    select 'blocks', entry from blocks
    union all
    select 'messages', entry from messages
    union all
    select 'iterations', entry from iterations
    union all
    select 'tool_uses', entry from tool_uses
    union all
    select 'tool_results', entry from tool_results
    union all
    select 'tool_outcomes', entry from tool_outcomes
    union all
    select 'agent_mentions', entry from agent_mentions
    union all
    select 'file_touches', entry from file_touches
    union all
    select 'task_notices', entry from task_notices where entry is not null
    union all
    select 'copy_conflicts', entry from copy_conflicts
    union all
    select 'edges', child from edges
)
select p.part, p.entry
from parts p
left join entries e on e.id = p.entry
where e.occurrence is null
union all
select 'parents', l.parent
from edges l
left join entries e on e.id = l.parent
where e.id is null
