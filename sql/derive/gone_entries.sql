-- Entries with an occurrence in some sources or of some sessions, and whether they have no other one.
-- params:  sources (JSON), sessions (JSON)
-- columns: entry, is_lost
with gone(entry) as materialized (
    select o.entry
    from json_each(:sources) j
    cross join occurrences o on o.source = j.value
    where o.entry is not null
    union
    select o.entry
    from json_each(:sessions) j
    cross join occurrences o on o.session = j.value
    where o.entry is not null
)
select
    g.entry,
    not exists (
        select 1
        from occurrences c
        where c.entry = g.entry
            and c.source not in (select value from json_each(:sources))
            and c.session not in (select value from json_each(:sessions))
    ) as is_lost
from gone g
order by g.entry
