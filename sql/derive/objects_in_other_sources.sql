-- Number of objects of the given sessions, per file that is not one of the given sources.
-- params:  sessions (JSON), sources (JSON)
-- columns: path, count
select s.path, count(*)
from json_each(:sessions) j
cross join occurrences o on o.session = j.value
join sources s on s.id = o.source
where o.source not in (select value from json_each(:sources))
group by s.path
order by s.path
