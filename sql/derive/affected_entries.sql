-- Entries with an occurrence in the given sources or sessions; `is_lost`: the entry has no other occurrence.
-- params:  sources (JSON), sessions (JSON)
-- columns: entry, is_lost
with affected(entry) as materialized (
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
    a.entry,
    not exists (
        select 1
        from occurrences c
        where c.entry = a.entry
            and c.source not in (select value from json_each(:sources))
            and c.session not in (select value from json_each(:sessions))
    ) as is_lost
from affected a
order by a.entry
