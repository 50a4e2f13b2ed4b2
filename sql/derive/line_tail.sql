-- The given entry and the entries above it, up to the nearest one that is not quiet and not a boundary.
-- Every entry below that one must be the only child of its parent. If that one is an assistant entry below a result, it
-- must be the only child too, because an entry below it can turn the other children into late blocks.
-- No rows are returned otherwise, or if that entry is more than 64 entries above.
-- rule: quiet_entry, late_block
-- params:  entry
-- columns: entry, from the given one upwards
with recursive above(depth, entry, thread, parent, kind, is_quiet) as (
    select 0, p.entry, p.thread, p.effective_parent, e.kind, coalesce(
        e.kind in ('side', 'boundary')
            or e.is_command
            or (e.kind = 'prompt' and not e.is_typed)
            or (e.kind = 'assistant' and m.model = '<synthetic>'),
        0
    )
    from placements p
    join owned_entries e on e.id = p.entry
    left join messages m on m.entry = e.id and m.is_wrapped = 0
    where p.entry = :entry
    union all
    select a.depth + 1, p.entry, p.thread, p.effective_parent, e.kind, coalesce(
        e.kind in ('side', 'boundary')
            or e.is_command
            or (e.kind = 'prompt' and not e.is_typed)
            or (e.kind = 'assistant' and m.model = '<synthetic>'),
        0
    )
    from above a
    cross join placements p on p.entry = a.parent and p.thread = a.thread
    join owned_entries e on e.id = p.entry
    left join messages m on m.entry = e.id and m.is_wrapped = 0
    where a.is_quiet
        and a.depth < 64
        and not exists (select 1 from placements x where x.effective_parent = a.parent and x.entry <> a.entry)
)
select entry
from above
where exists (
    select 1
    from above t
    left join entries r on r.id = t.parent
    left join entry_traits k on k.id = r.traits
    where not t.is_quiet
        and not (
            t.kind = 'assistant'
            and k.kind is 'result'
            and exists (
                select 1
                from placements x
                where x.effective_parent = t.parent and x.thread = t.thread and x.entry <> t.entry
            )
        )
)
order by depth
