-- The first characters of the given typed entries: of their own text, or of their first text block that is not empty.
-- params:  entries (JSON)
-- columns: entry, text
select
    e.id as entry,
    coalesce(
        substr(e.text, 1, 100),
        (
            select substr(b.text, 1, 100)
            from blocks b
            where b.entry = e.id and b.type = 'text' and b.text <> ''
            order by b.idx
            limit 1
        ),
        ''
    ) as text
from json_each(:entries) j
cross join entries e on e.id = j.value
