-- How many objects of sessions in temp.wanted stand in files that are not in temp.gone, by path.
select s.path, count(*)
from temp.wanted w
cross join session_ids i on i.session_id = w.id
cross join occurrences o on o.session = i.id
join sources s on s.id = o.source
where o.id not in (select occurrence from temp.gone)
group by s.path
order by s.path
