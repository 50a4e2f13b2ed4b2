create view v1_junctions as
-- One row per entry and line that continues from it: a branch that starts there, or a line in another thread that has one of the entry's children.
select
    e.uuid, -- entry that the line continues from
    l.line_id, -- line that contains the entry; NULL if the entry was set aside
    x.line_id as target_line_id, -- line that continues from the entry
    j.kind, -- resume (another session continues from the last entry of the line), fork (another session continues from any other entry), rewind (a branch that starts where a person went back), retry (any other branch) or agent (a subagent)
    j.ordinal -- index among the lines that continue from the entry, in chronological order, from 0
from junctions j
join entries e on e.id = j.entry
join lines x on x.id = j.target
left join placements p on p.entry = j.entry
left join lines l on l.id = p.line
