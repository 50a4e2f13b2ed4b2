-- The number of roots of a thread whose history can be recorded again, or more than 1 if the thread has many roots.
-- These are roots without a parent that are not boundaries, except those with fewer than 50 entries at and below them
-- of which none is part of a response or the given entry.
-- rule: recorded_again_roots
-- params:  thread, entry
-- columns: count
select iif(count(*) = 200, 200, coalesce(sum(is_counted), 0))
from (
    select
        p.effective_parent is null
        and e.kind <> 'boundary'
        and (
            with recursive below(entry) as (
                select r.entry
                union all
                select x.entry
                from below b
                cross join placements x on x.effective_parent = b.entry and x.thread = :thread
                limit 50
            )
            select count(*) = 50 or coalesce(max(b.entry = :entry or m.message_id is not null), 0)
            from below b
            left join messages m on m.entry = b.entry
        ) as is_counted
    from (select entry from roots where thread = :thread limit 200) r
    join placements p on p.entry = r.entry
    join owned_entries e on e.id = r.entry
)
