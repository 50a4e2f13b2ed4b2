-- Sessions that keep a copy of an entry when some sources and some sessions go: the number of such entries.
-- params:  sources (JSON), sessions (JSON)
-- columns: session_id, count
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
)
select i.session_id, count(distinct c.entry)
from gone g
cross join occurrences c on c.entry = g.entry
join session_ids i on i.id = c.session
where c.source not in (select source from gone_sources)
    and c.session not in (select session from gone_sessions)
group by i.session_id
order by i.session_id
