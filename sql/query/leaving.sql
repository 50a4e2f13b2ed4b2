-- The lines that leave from an entry, by time, each with the entry it begins with.
-- params:  uuid
-- columns: line, kind, first_uuid
select x.id, j.kind, e.uuid
from entries q
join junctions j on j.entry = q.id
join lines x on x.id = j.target
join placements p on p.line = x.id and p.position = 0
join entries e on e.id = p.entry
where q.uuid = :uuid
order by j.ordinal
