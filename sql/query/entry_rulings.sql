-- The ruling that determined an entry's position, and the rulings on its children.
-- params:  uuid
-- columns: is_own, uuid, thread_id, line_id, rung, verdict, reason
select 0 as is_own, k.uuid, t.thread_id, l.line_id, f.rung, f.verdict, f.reason
from entries e
join placements p on p.entry = e.id
join forks f on f.entry = coalesce(p.fork, p.effective_parent) and f.thread = p.thread
join entries k on k.id = f.entry
join threads t on t.id = f.thread
join lines l on l.id = f.line
where e.uuid = :uuid
union all
select 1, e.uuid, t.thread_id, l.line_id, f.rung, f.verdict, f.reason
from entries e
join forks f on f.entry = e.id
join threads t on t.id = f.thread
join lines l on l.id = f.line
where e.uuid = :uuid
