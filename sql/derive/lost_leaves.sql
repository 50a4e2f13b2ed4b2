-- Leaves that summaries outside temp.gone name, of entries whose objects are all in temp.gone.
select distinct r.leaf
from temp.gone g
cross join occurrences o on o.id = g.occurrence
join entries e on e.id = o.entry
cross join records r on r.leaf = e.uuid
where r.occurrence not in (select occurrence from temp.gone)
and not exists (
    select 1
    from occurrences c
    where c.entry = o.entry
    and c.id not in (select occurrence from temp.gone)
)
order by r.leaf
