-- How often each tool failed, and how long it takes: the median, and what 95 of 100 calls stay within.
-- group: Tools and files
-- A call that somebody refused is not counted as a failure of the tool. Waiting for leave counts as time.
with calls as (
    select
        name,
        duration_ms,
        is_error = 1 and result_form is null as failed,
        coalesce(result_form in ('rejection', 'interrupt'), 0) as refused,
        cume_dist() over (partition by name order by duration_ms) as share
    from v1_tool_pairs
    where status = 'paired'
)
select
    name,
    count(*) as calls,
    sum(failed) as failed,
    sum(refused) as refused,
    round(100.0 * sum(failed) / count(*), 1) as percent_failed,
    min(duration_ms) filter (where share >= 0.5) as median_ms,
    min(duration_ms) filter (where share >= 0.95) as p95_ms
from calls
group by name
order by percent_failed desc, calls desc, name
limit 20
