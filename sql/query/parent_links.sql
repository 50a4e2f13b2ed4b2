-- Parent links of the entries that query/timeline_entries returns for a session, by time of the child.
-- params:  session_id
-- columns: child_uuid, parent_uuid, kind, state, is_aside (1: either end was set aside),
-- columns: is_own (1: the parent is also one of these entries), parent_kind, parent_session_id
with own_entries(entry) as (
    select distinct o.entry
    from session_ids i
    cross join occurrences o on o.session = i.id
    join entries e on e.id = o.entry
    join sessions x on x.session = i.id
    where i.session_id = :session_id and (e.occurrence = o.id or x.entry_count = 0)
),
linked(child, parent, kind) as ( -- the same links as in v1_edges, which has no entry keys
    select m.entry, l.parent, l.kind
    from own_entries m
    cross join edges l on l.child = m.entry
    union all
    select m.entry, r.parent, r.kind
    from own_entries m
    cross join parent_repairs r on r.child = m.entry and r.kind = 'spawn'
)
select
    c.uuid,
    p.uuid,
    k.kind,
    case
        when p.occurrence is null then 'ghost'
        when r.child is not null then 'cut'
        else 'resolved'
    end as state,
    w.set_aside_reason is not null or y.set_aside_reason is not null as is_aside,
    p.id in (select entry from own_entries) as is_own,
    t.kind as parent_kind,
    (
        select i.session_id
        from owned_entries o
        join session_ids i on i.id = o.session
        where o.id = p.id
    ) as parent_session_id
from linked k
cross join owned_entries c on c.id = k.child
join sources s on s.id = c.source
join placements w on w.entry = c.id
join entries p on p.id = k.parent
left join entry_traits t on t.id = p.traits
left join parent_repairs r on r.child = k.child and r.kind = 'cut' and k.kind in ('parent', 'spawn')
left join placements y on y.entry = p.id
order by c.timestamp_ms, s.path, c.generation, c.offset, k.kind
