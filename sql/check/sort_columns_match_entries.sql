-- The sort columns of sessions and calls agree with the entries that they are computed from.
select 'session', i.session_id
from sessions x
join session_ids i on i.id = x.session
where x.first_timestamp_ms is not (select e.timestamp_ms from owned_entries e where e.id = x.first_entry)
    or x.last_timestamp_ms is not (select e.timestamp_ms from owned_entries e where e.id = x.last_entry)
    or x.project is not coalesce(
        (select s.project from owned_entries e join sources s on s.id = e.source where e.id = x.first_entry),
        (
            select c.project
            from occurrences o
            join sources c on c.id = o.source
            where o.session = x.session and o.entry is not null
            order by o.timestamp_ms, c.path, o.generation, o.offset
            limit 1
        )
    )
union all
select 'call', p.tool_use_id
from tool_pairs p
join owned_entries e on e.id = coalesce(p.use, p.result)
where p.timestamp_ms is not e.timestamp_ms
