-- The last prompt or assistant text on the last line of each path, up to the end of the path.
-- params:  leaves (JSON array of entry keys)
-- columns: leaf, text (NULL: none)
select z.entry, (
    select v.text
    from placements p
    cross join owned_entries e on e.id = p.entry
    cross join v1_entries v on v.uuid = e.uuid
    where p.line = z.line
        and p.position <= z.position
        and e.kind in ('prompt', 'assistant')
        and v.text is not null
    order by p.position desc
    limit 1
)
from json_each(:leaves) j
cross join placements z on z.entry = j.value
