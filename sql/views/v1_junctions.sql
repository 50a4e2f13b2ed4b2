create view v1_junctions as
-- One row per entry and line that leaves from it.
select
    e.uuid,
    l.line_id, -- the entry's; NULL: it was set aside
    x.line_id as target_line_id,
    j.kind, -- resume: at the end of the line; fork: before it; rewind: a branch; retry: a branch, answered again; agent: a subagent's line
    j.ordinal -- by time, from 0
from junctions j
join entries e on e.id = j.entry
join lines x on x.id = j.target
left join placements p on p.entry = j.entry
left join lines l on l.id = p.line
