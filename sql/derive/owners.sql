-- For each entry in temp.contested the occurrence that owns it, by the total order of ownership.
-- columns: entry, occurrence, hash, source, generation, offset, length
with candidates as (
    select
        o.entry,
        o.id,
        o.hash,
        o.source,
        o.generation,
        o.offset,
        o.length,
        row_number() over (
            partition by o.entry
            order by
                o.is_current desc,
                r.first_at,
                r.first_own_at is null,
                r.first_own_at,
                i.session_id,
                o.has_parent desc,
                s.role = 'agent',
                s.path,
                o.generation,
                o.offset
        ) as place
    from temp.contested c
    cross join occurrences o on o.entry = c.entry -- cross: in this order, the few entries first
    join session_ids i on i.id = o.session
    join sources s on s.id = o.source
    left join ranks r on r.session = o.session
)
select entry, id, hash, source, generation, offset, length
from candidates
where place = 1
order by source, generation, offset
