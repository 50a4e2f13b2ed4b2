-- Entries whose objects are all in temp.gone and that a summary may name: one outside it does, or nothing hangs on them.
select distinct e.uuid
from temp.gone g
cross join occurrences o on o.id = g.occurrence
join entries e on e.id = o.entry
where not exists (
    select 1
    from occurrences c
    where c.entry = o.entry
    and c.id not in (select occurrence from temp.gone)
)
and (
    exists (
        select 1
        from records r
        where r.leaf = e.uuid
        and r.occurrence not in (select occurrence from temp.gone)
    )
    or not exists (
        select 1
        from edges l
        where l.parent = e.id
    )
)
order by e.uuid
