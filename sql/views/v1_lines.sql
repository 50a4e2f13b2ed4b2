create view v1_lines as
-- One row per line: a sequence of entries in reading order. At a rewind or retry, each alternative is a line of its own,
-- called a branch.
select
    l.line_id, -- id of the line: the id of its thread, then @ and the start of a uuid for each branch that leads to it
    i.session_id, -- session that the line belongs to
    l.kind, -- trunk, branch, agent or agent_branch
    p.line_id as parent_line_id, -- line that this line starts from; NULL for the root of a tree
    a.uuid as attachment_uuid, -- entry that this line starts from
    (select o.timestamp from owned_entries o where o.id = l.first_entry) as first_timestamp, -- recorded timestamp of its earliest entry
    (select o.timestamp from owned_entries o where o.id = l.last_entry) as last_timestamp, -- recorded timestamp of its latest entry
    l.entry_count, -- number of entries on the line
    l.is_active, -- 0 if the line is an abandoned branch or is below one
    t.thread_id, -- thread that the line belongs to
    l.parent_position, -- position on the parent line after which a path continues on this line
    (select o.timestamp_ms from owned_entries o where o.id = l.first_entry) as first_timestamp_ms, -- time of its earliest entry in milliseconds since the Unix epoch
    (select o.timestamp_ms from owned_entries o where o.id = l.last_entry) as last_timestamp_ms -- time of its latest entry in milliseconds since the Unix epoch
from lines l
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
left join lines p on p.id = l.parent
left join entries a on a.id = l.attachment
