create view v1_queue_operations as
-- One row per queue operation: prompts typed while Claude was at work.
select
    i.session_id,
    json_extract(r.payload, '$.operation') as operation, -- enqueue, dequeue, remove, popAll
    json_extract(r.payload, '$.content') as content, -- text, or JSON of blocks
    r.timestamp,
    s.path as source_path,
    o.line_no
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type = 'queue-operation'
