create view v1_lines as
-- One row per DAG-line: a stretch of conversation without a fork.
select
    l.line_id,
    i.session_id,
    l.kind, -- trunk, branch, agent, agent_branch
    p.line_id as parent_line_id, -- NULL: a root of the forest
    a.uuid as attachment_uuid, -- the entry it leaves from
    f.timestamp as first_timestamp, -- of its earliest entry
    z.timestamp as last_timestamp, -- of its latest
    l.entry_count,
    l.is_active, -- 0: below a branch that was not gone on with
    t.thread_id,
    l.parent_position, -- how far a path follows the parent line before it turns into this one
    (select o.timestamp_ms from owned_entries o where o.id = l.first_entry) as first_timestamp_ms,
    (select o.timestamp_ms from owned_entries o where o.id = l.last_entry) as last_timestamp_ms
from lines l
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
left join lines p on p.id = l.parent
left join entries a on a.id = l.attachment
left join entries f on f.id = l.first_entry
left join entries z on z.id = l.last_entry
