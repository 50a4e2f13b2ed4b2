-- The texts of the given typed entries, and whether each entry contains an image.
-- params:  entries (JSON)
-- columns: entry, text, has_image
select
    e.id as entry,
    coalesce(
        e.text,
        (
            select group_concat(block_text, char(10))
            from (
                select b.text as block_text
                from blocks b
                where b.entry = e.id and b.type = 'text' and b.text <> ''
                order by b.idx
            )
        ),
        ''
    ) as text,
    exists (select 1 from blocks b where b.entry = e.id and b.type = 'image') as has_image
from json_each(:entries) j
cross join entries e on e.id = j.value
