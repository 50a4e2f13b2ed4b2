-- Uuids of lost entries that a summary can refer to: leaves in remaining records, and entries without children.
-- params:  lost (JSON), sources (JSON), sessions (JSON)
-- columns: uuid
select e.uuid
from json_each(:lost) j
cross join entries e on e.id = j.value
where exists (
        select 1
        from records r
        join occurrences c on c.id = r.occurrence
        where r.leaf = e.uuid
            and c.source not in (select value from json_each(:sources))
            and c.session not in (select value from json_each(:sessions))
    )
    or not exists (
        select 1
        from edges l
        where l.parent = e.id
    )
order by e.uuid
