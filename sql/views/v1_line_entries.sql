create view v1_line_entries as
-- One row per entry on a line.
select
    l.line_id,
    p.position, -- from 0, without gaps
    e.uuid
from placements p
join lines l on l.id = p.line
join entries e on e.id = p.entry
where p.line is not null
