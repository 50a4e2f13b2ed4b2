-- The entries of a line in order, each followed by what was set aside at a fork there, by time.
-- What a ruling on roots set aside stands at the first of the roots that were kept, not with the entry they hang on.
-- params:  line
-- columns: uuid, position, set_aside
with here(line, thread, is_own) as (
    select id, thread, kind in ('trunk', 'agent')
    from lines
    where id = :line
),
rulings(entry, thread, position) as (
    select f.entry, f.thread, f.position
    from here h
    cross join forks f on f.line = h.line and f.thread = h.thread
    join places p on p.entry = f.entry and p.thread = f.thread
    union all
    select f.entry, f.thread, coalesce((
        select min(k.position)
        from places k
        where k.parent = f.entry and k.line = h.line
    ), 0)
    from here h
    cross join forks f on f.thread = h.thread
    join places p on p.entry = f.entry and p.thread <> f.thread
    where h.is_own
)
select uuid, position, set_aside
from (
    select e.uuid, p.position, null as set_aside, 0 as at, '' as path, 0 as generation, 0 as offset
    from here h
    cross join places p on p.line = h.line
    join entries e on e.id = p.entry
    union all
    select e.uuid, f.position, p.reason, o.at, s.path, o.generation, o.offset
    from rulings f
    cross join places p on p.fork = f.entry and p.thread = f.thread and p.line is null
    join entries e on e.id = p.entry
    join occurrences o on o.id = e.occurrence
    join sources s on s.id = o.source
)
order by position, set_aside is not null, at, path, generation, offset
