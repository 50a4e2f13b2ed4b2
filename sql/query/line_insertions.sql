-- Items shown between the entries of the given lines: entries that a fork set aside, and queued text.
-- Entries set aside by a ruling on roots are shown at the first root that was kept. If history was recorded twice, the
-- entries that were set aside are shown at the root of the other recording.
-- params:  lines (JSON array of line keys)
-- columns: line, entry (NULL: queued text), position (of the fork, or of the entry next to the queued text), set_aside,
-- columns: queued (occurrence of the queued text), is_before (1: can precede that position), size (bytes recorded),
-- columns: timestamp_ms, path, generation, offset
with recursive
requested(line, thread, is_own) as (
    select l.id, l.thread, l.kind in ('trunk', 'agent')
    from json_each(:lines) j
    cross join lines l on l.id = j.value
),
rulings(line, entry, thread, position) as (
    select h.line, f.entry, f.thread, f.position
    from requested h
    cross join forks f on f.line = h.line and f.thread = h.thread
    join placements p on p.entry = f.entry and p.thread = f.thread
    union
    select h.line, f.entry, f.thread, coalesce((
        select min(k.position)
        from placements k
        where k.effective_parent = f.entry and k.line = h.line
    ), 0)
    from requested h
    cross join forks f on f.thread = h.thread
    join placements p on p.entry = f.entry and p.thread <> f.thread
    where h.is_own
    union
    -- starts from the roots of each thread, once per thread, because a thread can have as many lines as roots
    select p.line, r.entry, r.thread, p.position
    from (select distinct thread from requested) t
    cross join roots r on r.thread = t.thread
    cross join placements p on p.entry = r.entry
    where p.line in (select h.line from requested h where h.thread = r.thread)
    union
    -- a root that was set aside can itself be the other recording of a third root
    select f.line, r.entry, r.thread, f.position
    from rulings f
    cross join placements p on p.fork = f.entry and p.thread = f.thread and p.line is null
    join roots r on r.entry = p.entry and r.thread = p.thread
),
set_aside(line, entry, thread, position) as (
    select line, entry, thread, max(position)
    from rulings
    group by line, entry, thread
)
select
    f.line,
    p.entry,
    f.position,
    p.set_aside_reason,
    null as queued,
    not exists (select 1 from forks k where k.entry = f.entry and k.thread = f.thread) as is_before,
    e.length,
    e.timestamp_ms,
    s.path,
    e.generation,
    e.offset
from set_aside f
cross join placements p on p.fork = f.entry and p.thread = f.thread and p.line is null
join owned_entries e on e.id = p.entry
join sources s on s.id = e.source
union all
select h.line, null, p.position, null, q.occurrence, q.is_before, o.length, q.timestamp_ms, s.path, o.generation, o.offset
from requested h
cross join placements p on p.line = h.line
cross join queued_words q on q.entry = p.entry
join occurrences o on o.id = q.occurrence
join sources s on s.id = o.source
