-- Number of diagnostics per kind, most severe first.
-- group: The index
select
    severity,
    kind,
    count(*) as count,
    count(distinct session_id) as sessions,
    min(detail) as example
from v1_diagnostics
group by severity, kind
order by case severity when 'error' then 0 when 'warning' then 1 else 2 end, count desc, kind
limit 20
