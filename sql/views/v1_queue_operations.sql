create view v1_queue_operations as
-- One row per operation on the queue of prompts and notifications that arrived while Claude was working.
select
    i.session_id, -- session that the operation belongs to
    json_extract(r.payload, '$.operation') as operation, -- enqueue, dequeue, remove or popAll
    json_extract(r.payload, '$.content') as content, -- text of the prompt or notification, or its content blocks as JSON
    r.timestamp, -- timestamp as recorded
    s.path as source_path, -- file that contains the operation
    o.line_no -- line number in that file, from 1
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type = 'queue-operation'
