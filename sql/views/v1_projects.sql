create view v1_projects as
-- One row per project: a folder of transcripts.
with session_spans as (
    select
        x.session,
        x.entry_count,
        x.project,
        c.cwd,
        f.timestamp as first_timestamp,
        z.timestamp as last_timestamp,
        f.timestamp_ms as first_at,
        s.path as first_path,
        f.generation as first_generation,
        f.offset as first_offset,
        z.timestamp_ms as last_at,
        zs.path as last_path,
        z.generation as last_generation,
        z.offset as last_offset
    from sessions x
    join owned_entries f on f.id = x.first_entry
    join sources s on s.id = f.source
    join owned_entries z on z.id = x.last_entry
    join sources zs on zs.id = z.source
    left join entry_contexts c on c.id = f.context
    union all
    select x.session, x.entry_count, x.project, null, null, null, null, null, null, null, null, null, null, null
    from sessions x
    where x.first_entry is null
),
ranked as (
    select
        w.*,
        row_number() over (
            partition by project
            order by cwd is null, first_at, first_path, first_generation, first_offset
        ) as rank,
        row_number() over (
            partition by project
            order by first_at is null, first_at, first_path, first_generation, first_offset
        ) as earliest,
        row_number() over (
            partition by project
            order by last_at is null, last_at desc, last_path desc, last_generation desc, last_offset desc
        ) as latest
    from session_spans w
),
usage(session, responses, cost) as (
    select session, sum(responses), case when sum(priced_responses) > 0 then total(cost_nanousd) end
    from usage_totals
    where responses > 0
    group by session
)
select
    n.project, -- name of the folder
    max(case when w.rank = 1 then w.cwd end) as cwd, -- working directory of the earliest session whose first entry has one
    count(w.session) as session_count, -- number of sessions whose earliest entry is in the project; the other figures cover these sessions
    coalesce(sum(w.entry_count), 0) as entry_count, -- number of entries
    max(case when w.earliest = 1 then w.first_timestamp end) as first_timestamp, -- recorded timestamp of the earliest entry
    max(case when w.latest = 1 then w.last_timestamp end) as last_timestamp, -- recorded timestamp of the latest entry
    case
        when count(p.responses) = 0 then 0.0
        when count(p.cost) > 0 then total(p.cost) / 1e9
    end as est_cost_usd -- estimated cost in US dollars; 0 if there are no responses, NULL if no response has a known price
from (select distinct project from sources where role in ('session', 'agent')) n
left join ranked w on w.project = n.project
left join usage p on p.session = w.session
group by n.project
