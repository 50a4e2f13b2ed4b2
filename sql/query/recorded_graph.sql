-- Entries of all families that contain an entry recorded in the session, with their recorded parents, by time.
-- The parent is NULL if it was never seen or if the link was cut.
-- params:  session_id, agents (1: include subagent entries)
-- columns: entry, uuid, session_id, parent, logical_parent, is_active, is_agent, is_boundary, is_recorded,
-- columns: file (rank of the path), generation, offset
with requested(session) as materialized (
    select id from session_ids where session_id = :session_id
),
recorded(entry) as materialized (
    select distinct c.entry
    from requested w
    cross join occurrences c on c.session = w.session and c.entry is not null
),
families(family) as (
    -- families of the sessions that own the entries recorded in this session
    select distinct x.family
    from recorded r
    cross join owned_entries e on e.id = r.entry
    join sessions x on x.session = e.session
),
members(entry, is_agent) as (
    select o.entry, t.agent_id is not null
    from families w
    cross join sessions f on f.family = w.family
    cross join occurrences o on o.session = f.session and o.is_owner = 1
    join placements p on p.entry = o.entry
    join threads t on t.id = p.thread
    where :agents or t.agent_id is null
)
select
    e.id,
    e.uuid,
    i.session_id,
    (
        select l.parent
        from edges l
        join entries p on p.id = l.parent and p.occurrence is not null
        where l.child = e.id
            and l.kind = 'parent'
            and not exists (select 1 from parent_repairs r where r.child = e.id and r.kind = 'cut')
    ) as parent,
    (select l.parent from edges l where l.child = e.id and l.kind = 'logical') as logical_parent,
    coalesce(e.is_active, 0) as is_active,
    m.is_agent,
    e.kind = 'boundary' as is_boundary,
    e.id in (select entry from recorded) as is_recorded,
    dense_rank() over (order by s.path) as file, -- the rank, because the path itself may be masked
    e.generation,
    e.offset
from members m
cross join owned_entries e on e.id = m.entry
join session_ids i on i.id = e.session
join sources s on s.id = e.source
order by e.timestamp_ms, s.path, e.generation, e.offset
