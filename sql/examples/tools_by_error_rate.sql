-- Error rate, median duration and 95th percentile duration per tool, highest error rate first.
-- group: Tools and files
-- Refused and interrupted calls do not count as failed. Durations include the time spent waiting for permission.
select
    name,
    calls - pending as calls,
    failed,
    refused + interrupted as refused,
    round(100 * error_rate, 1) as percent_failed,
    median_ms,
    p95_ms
from v1_tools
where calls > pending
order by percent_failed desc, calls desc, name
limit 20
