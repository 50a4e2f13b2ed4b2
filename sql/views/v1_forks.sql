create view v1_forks as
-- One row per fork: the ruling on an entry that has several children in one thread.
select
    e.uuid, -- entry that has several children
    i.session_id, -- session that the children belong to
    t.thread_id, -- thread that the children belong to
    l.line_id, -- line that contains the entry; if the entry was set aside, the line of the fork that set it aside
    f.rung, -- number of the rule that decided: 1 side_branches, 2 structural_results, 3 parallel_calls, 4 live_passthrough, 5 continuation, 6 replay, 7 rewind
    f.verdict, -- stitched, continued, replay, rewind, or retry (nobody went back: the model answered again, or two processes wrote at once)
    f.child_count, -- number of children in the thread
    f.reason -- reason for the ruling
from forks f
join entries e on e.id = f.entry
join threads t on t.id = f.thread
join session_ids i on i.id = t.session
join lines l on l.id = f.line
