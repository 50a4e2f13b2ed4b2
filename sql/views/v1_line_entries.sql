create view v1_line_entries as
-- One row per entry on a line.
select
    l.line_id, -- id of the line
    p.position, -- position of the entry on the line, from 0, without gaps
    e.uuid -- uuid of the entry
from placements p
join lines l on l.id = p.line
join entries e on e.id = p.entry
where p.line is not null
