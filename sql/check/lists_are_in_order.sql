-- What sessions and calls are sorted by is what their entries say.
select 'session', i.session_id
from sessions x
join session_ids i on i.id = x.session
left join entries f on f.id = x.first_entry
left join occurrences fo on fo.id = f.occurrence
left join sources s on s.id = fo.source
left join entries z on z.id = x.last_entry
left join occurrences zo on zo.id = z.occurrence
where x.first_at is not fo.timestamp_ms
    or x.last_at is not zo.timestamp_ms
    or x.project is not coalesce(
        s.project,
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
join entries e on e.id = coalesce(p.use, p.result)
join occurrences o on o.id = e.occurrence
where p.timestamp_ms is not o.timestamp_ms
