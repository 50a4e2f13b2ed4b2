-- The words of some prompts: their text blocks, in order.
-- params:  entries (JSON)
-- columns: entry, text
select
    j.value as entry,
    (
        select group_concat(words, char(10))
        from (
            select b.text as words
            from blocks b
            where b.entry = j.value and b.type = 'text' and b.text <> ''
            order by b.idx
        )
    ) as text
from json_each(:entries) j
