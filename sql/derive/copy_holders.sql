-- By session: how many entries it holds a copy of that some session loses, because the copy is not in temp.gone.
select i.session_id, count(distinct c.entry)
from temp.gone g
cross join occurrences o on o.id = g.occurrence
cross join occurrences c on c.entry = o.entry
join session_ids i on i.id = c.session
where c.id not in (select occurrence from temp.gone)
group by i.session_id
order by i.session_id
