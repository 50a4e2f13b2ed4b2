-- The longest chain from a root of a session to a leaf within it, root first; of several the one whose leaf is earliest.
-- params:  session_id
-- columns: uuid
with recursive
down(entry, session, depth) as (
    select p.entry, i.id, 0
    from session_ids i
    join threads t on t.session = i.id
    join roots r on r.thread = t.id
    join placements p on p.entry = r.entry
    left join entries q on q.id = p.effective_parent
    left join occurrences v on v.id = q.occurrence
    where i.session_id = :session_id and (v.session is null or v.session <> i.id)
    union all
    select p.entry, d.session, d.depth + 1
    from down d
    join placements p on p.effective_parent = d.entry
    join owned_entries e on e.id = p.entry
    where e.session = d.session
),
leaf(entry, depth) as (
    select d.entry, d.depth
    from down d
    join owned_entries e on e.id = d.entry
    join sources s on s.id = e.source
    order by d.depth desc, e.timestamp_ms, s.path, e.generation, e.offset
    limit 1
),
up(entry, depth) as (
    select l.entry, l.depth
    from leaf l
    union all
    select p.effective_parent, u.depth - 1
    from up u
    join placements p on p.entry = u.entry
    where u.depth > 0
)
select e.uuid
from up u
join entries e on e.id = u.entry
order by u.depth
