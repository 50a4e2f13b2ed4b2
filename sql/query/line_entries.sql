-- The entries of a line in order, each followed by what was set aside at a fork there, by time.
-- params:  line
-- columns: uuid, position, set_aside
select uuid, position, set_aside
from (
    select e.uuid, p.position, null as set_aside, 0 as at, '' as path, 0 as generation, 0 as offset
    from places p
    join entries e on e.id = p.entry
    where p.line = :line
    union all
    select e.uuid, f.position, p.reason, o.at, s.path, o.generation, o.offset
    from forks f
    join places p on p.fork = f.entry and p.thread = f.thread
    join entries e on e.id = p.entry
    join occurrences o on o.id = e.occurrence
    join sources s on s.id = o.source
    where f.line = :line
)
order by position, set_aside is not null, at, path, generation, offset
