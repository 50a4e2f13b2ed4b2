-- The stored placements of the given entries.
-- params:  entries (JSON)
-- columns: the columns of placements
select
    p.entry,
    p.thread,
    p.line,
    p.position,
    p.set_aside_reason,
    p.fork,
    p.effective_parent,
    p.fork_line
from json_each(:entries) j
cross join placements p on p.entry = j.value
