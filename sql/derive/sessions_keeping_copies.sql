-- How many of the given entries have a copy outside the given sources, per remaining session.
-- params:  entries (JSON), sources (JSON), sessions (JSON, forgotten)
-- columns: session_id, count
select i.session_id, count(distinct c.entry)
from json_each(:entries) j
cross join occurrences c on c.entry = j.value
join session_ids i on i.id = c.session
where c.source not in (select value from json_each(:sources))
    and c.session not in (select value from json_each(:sessions))
group by i.session_id
order by i.session_id
