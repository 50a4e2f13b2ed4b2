-- By session: how many of its entries have all their objects in temp.gone, and how many only some of them.
select
    i.session_id,
    sum(x.is_lost) as removed,
    sum(not x.is_lost and i.session_id in (select id from temp.wanted)) as kept
from (
    select
        o.entry,
        not exists (
            select 1
            from occurrences c
            where c.entry = o.entry
            and c.id not in (select occurrence from temp.gone)
        ) as is_lost
    from temp.gone g
    cross join occurrences o on o.id = g.occurrence
    where o.entry is not null
    group by o.entry
) x
join owned_entries e on e.id = x.entry
join session_ids i on i.id = e.session
group by i.session_id
having removed or kept
order by i.session_id
