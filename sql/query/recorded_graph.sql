-- The graph as written of the sessions that hang together with one, by time: each entry with its recorded parent.
-- A boundary whose parent is missing has its logical parent instead, if that was seen.
-- params:  session_id, agents (1: entries of agents' threads too)
-- columns: entry, uuid, session_id, parent, is_active, is_boundary, is_recorded, path, generation, offset
with wanted(session) as (
    select id from session_ids where session_id = :session_id
),
families(family) as (
    -- of the sessions that own what was recorded in this one
    select distinct x.family
    from wanted w
    cross join occurrences c on c.session = w.session
    join entries e on e.id = c.entry
    join occurrences o on o.id = e.occurrence
    join sessions x on x.session = o.session
),
members(entry) as (
    select o.entry
    from families w
    cross join sessions f on f.family = w.family
    cross join occurrences o on o.session = f.session and o.is_owner = 1
    join places p on p.entry = o.entry
    join threads t on t.id = p.thread
    where :agents or t.agent_id is null
)
select
    e.id,
    e.uuid,
    i.session_id,
    coalesce(
        (
            select l.parent
            from edges l
            join entries p on p.id = l.parent and p.occurrence is not null
            where l.child = e.id
                and l.kind = 'parent'
                and not exists (select 1 from repairs r where r.child = e.id and r.kind = 'cut')
        ),
        (
            select l.parent
            from edges l
            join entries p on p.id = l.parent and p.occurrence is not null
            where l.child = e.id and l.kind = 'logical' and e.kind = 'boundary'
        )
    ) as parent,
    coalesce(e.is_active, 0) as is_active,
    e.kind = 'boundary' as is_boundary,
    exists (
        select 1
        from occurrences c
        where c.entry = e.id and c.session = (select session from wanted)
    ) as is_recorded,
    s.path,
    o.generation,
    o.offset
from members m
cross join entries e on e.id = m.entry
join occurrences o on o.id = e.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
order by o.at, s.path, o.generation, o.offset
