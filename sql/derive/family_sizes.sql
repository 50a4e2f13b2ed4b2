-- The number of objects recorded under the sessions of each given family.
-- params:  families (JSON)
-- columns: family, count
select s.family, count(o.session)
from json_each(:families) j
cross join sessions s on s.family = j.value
left join occurrences o on o.session = s.session
group by s.family
order by s.family
