create view v1_forks as
-- One row per ruling on several children that an entry has in one thread.
select
    e.uuid, -- the parent
    i.session_id, -- the children's
    t.thread_id, -- the children's
    l.line_id, -- the parent's; if it was set aside, that of the fork that did it
    f.rung, -- 1 side_branches, 2 structural_results, 3 dead_end_calls, 4 live_passthrough, 5 continuation, 6 replay, 7 rewind
    f.verdict, -- stitched, continued, replay, rewind, retry (answered again)
    f.child_count,
    f.reason
from forks f
join entries e on e.id = f.entry
join threads t on t.id = f.thread
join session_ids i on i.id = t.session
join lines l on l.id = f.line
