-- Every entry that is set aside has a ruling in v1_forks, or was set aside in favour of another root of its thread.
select e.uuid, p.set_aside_reason
from placements p
join entries e on e.id = p.entry
left join forks f on f.entry = p.fork and f.thread = p.thread
left join placements o on o.entry = p.fork and o.thread = p.thread
left join roots r on r.entry = o.entry
where p.line is null and f.entry is null and r.entry is null
