-- How often each tool failed, and how long it takes: the median, and what 95 of 100 calls stay within.
-- group: Tools and files
-- A call that somebody refused or interrupted is not counted as a failure of the tool. Waiting for permission counts as time.
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
