-- The recorded and effective parents of an entry, with the spawn link or cut that makes them differ.
-- params:  uuid
-- columns: recorded_parent_uuid, is_seen, parent_uuid, spawn_rule, is_cut, root_kind, thread_id, parent_thread_id
select
    q.uuid,
    q.occurrence is not null,
    a.uuid,
    s.rule,
    c.child is not null,
    r.kind,
    t.thread_id,
    u.thread_id
from entries e
join placements p on p.entry = e.id
join threads t on t.id = p.thread
left join edges l on l.child = e.id and l.kind = 'parent'
left join entries q on q.id = l.parent
left join entries a on a.id = p.effective_parent
left join placements ap on ap.entry = a.id
left join threads u on u.id = ap.thread
left join parent_repairs s on s.child = e.id and s.kind = 'spawn'
left join parent_repairs c on c.child = e.id and c.kind = 'cut'
left join roots r on r.entry = e.id
where e.uuid = :uuid
