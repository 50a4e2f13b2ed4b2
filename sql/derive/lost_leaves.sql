-- Uuids that summaries may name of entries without an occurrence left when some sources and some sessions go.
-- A summary may name an entry if a record that stays does, or if it has no children.
-- params:  sources (JSON), sessions (JSON)
-- columns: uuid
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
select e.uuid
from gone g
join entries e on e.id = g.entry
where not exists (
        select 1
        from occurrences c
        where c.entry = e.id
            and c.source not in (select source from gone_sources)
            and c.session not in (select session from gone_sessions)
    )
    and (
        exists (
            select 1
            from records r
            join occurrences c on c.id = r.occurrence
            where r.leaf = e.uuid
                and c.source not in (select source from gone_sources)
                and c.session not in (select session from gone_sessions)
        )
        or not exists (
            select 1
            from edges l
            where l.parent = e.id
        )
    )
order by e.uuid
