-- Blocks, calls, results, messages and edges hang on entries that were seen.
select 'blocks' as part, b.entry
from blocks b
left join entries e on e.id = b.entry
where e.occurrence is null
union all
select 'messages', m.entry
from messages m
left join entries e on e.id = m.entry
where e.occurrence is null
union all
select 'tool_uses', u.entry
from tool_uses u
left join entries e on e.id = u.entry
where e.occurrence is null
union all
select 'tool_results', r.entry
from tool_results r
left join entries e on e.id = r.entry
where e.occurrence is null
union all
select 'tool_outcomes', t.entry
from tool_outcomes t
left join entries e on e.id = t.entry
where e.occurrence is null
union all
select 'edges', l.child
from edges l
left join entries e on e.id = l.child
left join entries p on p.id = l.parent
where e.occurrence is null or p.id is null
