-- Every prompt that led to one message, the latest first: here to the end of the longest conversation.
-- group: Branches and sessions
-- A recursive query up the parents. They cross from a session to the one it goes on from, and from a subagent to its
-- call; at a compaction the logical parent leads on. That one may lie below, so `union` sees to it that the query ends.
with recursive
chosen as (
    select leaf_uuid
    from v1_paths
    order by entry_count desc, path_id
    limit 1
),
above(uuid) as (
    select leaf_uuid
    from chosen
    union
    select coalesce(e.parent_uuid, e.logical_parent_uuid)
    from above a
    join v1_entries e on e.uuid = a.uuid
)
select
    e.timestamp,
    substr(e.text, 1, 100) as prompt,
    e.session_id
from above a
join v1_entries e on e.uuid = a.uuid
where e.form = 'typed'
order by e.timestamp_ms desc, e.uuid
limit 20
