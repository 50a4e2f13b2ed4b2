-- Notices about background tasks in the given entries, in the order recorded.
-- params:  entries (JSON array of entry keys)
-- columns: entry, task_id, status, kind, summary, result
select n.entry, n.task_id, n.status, n.kind, n.summary, n.result
from json_each(:entries) j
cross join task_notices n on n.entry = j.value
order by n.entry, n.id
