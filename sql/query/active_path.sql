-- The entries from one on along the active children in its thread: the flagged one, else the last in file order.
-- params:  uuid
-- columns: uuid
with recursive walk(entry, thread, depth) as (
    select p.entry, p.thread, 0
    from entries e
    join placements p on p.entry = e.id
    where e.uuid = :uuid
    union all
    select (
        select p.entry
        from placements p
        join owned_entries e on e.id = p.entry
        join sources s on s.id = e.source
        where p.effective_parent = w.entry and p.thread = w.thread
        order by coalesce(e.is_active, 0) desc, s.path desc, e.generation desc, e.offset desc
        limit 1
    ), w.thread, w.depth + 1
    from walk w
    where w.entry is not null
)
select e.uuid
from walk w
join entries e on e.id = w.entry
order by w.depth
