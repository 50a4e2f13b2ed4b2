-- Cost per git branch, highest first.
-- group: Cost and usage
-- A response counts towards the branch that was checked out at that time.
select
    r.project,
    e.git_branch,
    count(distinct r.session_id) as sessions,
    min(r.day) as first_day,
    max(r.day) as last_day,
    round(sum(r.est_cost_usd), 2) as usd
from v1_responses r
join v1_entries e on e.uuid = r.uuid
where e.git_branch is not null
group by r.project, e.git_branch
order by sum(r.est_cost_usd) desc, r.project, e.git_branch
limit 20
