create view v1_roots as
-- One row per root of a thread: an entry that has no parent in the thread.
select
    e.uuid, -- uuid of the entry
    i.session_id, -- session that the thread belongs to
    r.kind, -- start, compact_boundary, local_command, hook, agent, resume, orphan or cycle_cut
    (
        select p.uuid
        from edges l
        join entries p on p.id = l.parent
        where l.child = r.entry and l.kind = 'parent' and p.occurrence is null
    ) as missing_parent_uuid, -- recorded parent that was never seen
    r.is_expected as expected, -- 0 if entries before it may have been lost
    t.thread_id -- thread that the entry is a root of
from roots r
join entries e on e.id = r.entry
join threads t on t.id = r.thread
join session_ids i on i.id = t.session
