create view v1_queue_operations as
-- One row per queue operation, which adds a prompt typed while Claude was working to the queue, or removes it.
select
    i.session_id, -- session of the operation
    json_extract(r.payload, '$.operation') as operation, -- enqueue, dequeue, remove or popAll
    json_extract(r.payload, '$.content') as content, -- text of the prompt, or JSON of its blocks
    r.timestamp, -- timestamp as recorded
    s.path as source_path, -- file that contains the operation
    o.line_no -- line number in that file, from 1
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type = 'queue-operation'
