-- Numbers of entries that sessions lose when some sources and some sessions go.
-- removed: without any other occurrence; kept: of the sessions that go, with another one.
-- params:  sources (JSON), sessions (JSON)
-- columns: session_id, removed, kept
with gone_sources(source) as materialized (
    select value from json_each(:sources)
),
gone_sessions(session) as materialized (
    select value from json_each(:sessions)
),
gone(entry) as materialized (
    select o.entry
    from gone_sources g
    cross join occurrences o on o.source = g.source
    where o.entry is not null
    union
    select o.entry
    from gone_sessions g
    cross join occurrences o on o.session = g.session
    where o.entry is not null
),
affected(entry, is_lost) as (
    select
        g.entry,
        not exists (
            select 1
            from occurrences c
            where c.entry = g.entry
                and c.source not in (select source from gone_sources)
                and c.session not in (select session from gone_sessions)
        )
    from gone g
)
select
    i.session_id,
    sum(x.is_lost) as removed,
    sum(not x.is_lost and i.id in (select session from gone_sessions)) as kept
from affected x
join owned_entries e on e.id = x.entry
join session_ids i on i.id = e.session
group by i.session_id
having removed or kept
order by i.session_id
