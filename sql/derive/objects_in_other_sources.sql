-- Per file other than the given sources, the number of objects of the given sessions in it.
-- params:  sessions (JSON), sources (JSON)
-- columns: path, count
select s.path, count(*)
from json_each(:sessions) j
cross join occurrences o on o.session = j.value
join sources s on s.id = o.source
where o.source not in (select value from json_each(:sources))
group by s.path
order by s.path
