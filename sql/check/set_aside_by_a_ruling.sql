-- Every entry on no line was set aside by a ruling that stands in v1_forks.
select e.uuid, p.reason
from places p
join entries e on e.id = p.entry
left join forks f on f.entry = p.fork and f.thread = p.thread
where p.line is null and f.entry is null
