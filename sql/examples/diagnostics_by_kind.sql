-- What is odd about the transcripts, by kind.
-- group: The index itself
select
    severity,
    kind,
    count(*) as times,
    count(distinct session_id) as sessions,
    min(detail) as for_example
from v1_diagnostics
group by severity, kind
order by case severity when 'error' then 0 when 'warning' then 1 else 2 end, times desc, kind
limit 20
