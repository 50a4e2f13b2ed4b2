create view v1_roots as
-- One row per root of a thread: an entry without a parent in it.
select
    e.uuid,
    i.session_id,
    r.kind, -- start, compact_boundary, local_command, hook, agent, resume, orphan, cycle_cut
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = r.entry and l.kind = 'parent' and p.occurrence is null
    ) as missing_parent_uuid, -- named as its parent, and never seen
    r.is_expected as expected, -- 0: what stood before it may be lost
    t.thread_id
from roots r
join entries e on e.id = r.entry
join threads t on t.id = r.thread
join session_ids i on i.id = t.session
