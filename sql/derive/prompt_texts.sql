-- The texts of the given prompts: their text blocks, joined in order.
-- params:  entries (JSON)
-- columns: entry, text
select
    j.value as entry,
    (
        select group_concat(block_text, char(10))
        from (
            select b.text as block_text
            from blocks b
            where b.entry = j.value and b.type = 'text' and b.text <> ''
            order by b.idx
        )
    ) as text
from json_each(:entries) j
