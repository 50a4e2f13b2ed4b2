-- Where current copies of the entries in temp.contested stand that differ in their bytes, one place for each.
-- columns: entry, source, generation, offset, length
select entry, source, generation, offset, length
from (
    select
        o.entry,
        o.source,
        o.generation,
        o.offset,
        o.length,
        row_number() over (partition by o.entry, o.hash order by s.path, o.generation, o.offset) as place,
        min(o.hash) over (partition by o.entry) <> max(o.hash) over (partition by o.entry) as differ
    from temp.contested c
    cross join occurrences o on o.entry = c.entry and o.is_current = 1
    join sources s on s.id = o.source
)
where place = 1 and differ
order by entry, source, generation, offset
