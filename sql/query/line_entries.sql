-- Entries of the given lines between two positions, in order, with the columns that determine time order.
-- params:  lines (JSON array of line keys), first, last (positions)
-- columns: line, entry, position, size (bytes recorded), timestamp_ms, path, generation, offset
select p.line, p.entry, p.position, e.length, e.timestamp_ms, s.path, e.generation, e.offset
from json_each(:lines) j
cross join placements p on p.line = j.value and p.position between :first and :last
join owned_entries e on e.id = p.entry
join sources s on s.id = e.source
order by p.line, p.position
