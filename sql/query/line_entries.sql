-- The entries of a line, those that a fork there set aside, and the queued words that are shown beside its entries.
-- Entries set aside by a ruling on roots belong to the first of the roots that were kept, those of a history that was
-- recorded again to the root of the other recording.
-- params:  line
-- columns: uuid (NULL: queued words), position (of the entry itself, of the fork, or next to which the words stand),
-- columns: set_aside, queued (the words' occurrence), is_before (1: may precede that position), timestamp_ms, path, generation,
-- columns: offset
with recursive
here(line, thread, is_own) as (
    select id, thread, kind in ('trunk', 'agent')
    from lines
    where id = :line
),
rulings(entry, thread, position) as (
    select f.entry, f.thread, f.position
    from here h
    cross join forks f on f.line = h.line and f.thread = h.thread
    join placements p on p.entry = f.entry and p.thread = f.thread
    union
    select f.entry, f.thread, coalesce((
        select min(k.position)
        from placements k
        where k.effective_parent = f.entry and k.line = h.line
    ), 0)
    from here h
    cross join forks f on f.thread = h.thread
    join placements p on p.entry = f.entry and p.thread <> f.thread
    where h.is_own
    union
    select r.entry, r.thread, p.position
    from here h
    cross join roots r on r.thread = h.thread
    join placements p on p.entry = r.entry and p.line = h.line
    union
    -- a root that was set aside may itself be the other recording of a third
    select r.entry, r.thread, f.position
    from rulings f
    cross join placements p on p.fork = f.entry and p.thread = f.thread and p.line is null
    join roots r on r.entry = p.entry and r.thread = p.thread
),
aside(entry, thread, position) as (
    select entry, thread, max(position)
    from rulings
    group by entry, thread
)
select e.uuid, p.position, null as set_aside, null as queued, 0 as is_before, o.timestamp_ms, s.path, o.generation, o.offset
from here h
cross join placements p on p.line = h.line
join entries e on e.id = p.entry
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
union all
select
    e.uuid,
    f.position,
    p.set_aside_reason,
    null,
    not exists (select 1 from forks k where k.entry = f.entry and k.thread = f.thread),
    o.timestamp_ms,
    s.path,
    o.generation,
    o.offset
from aside f
cross join placements p on p.fork = f.entry and p.thread = f.thread and p.line is null
join entries e on e.id = p.entry
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
union all
select null, p.position, null, q.occurrence, q.is_before, q.timestamp_ms, s.path, o.generation, o.offset
from here h
cross join placements p on p.line = h.line
cross join queued_words q on q.entry = p.entry
join occurrences o on o.id = q.occurrence
join sources s on s.id = o.source
