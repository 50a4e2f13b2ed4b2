-- All prompts that led to one message, latest first.
-- group: Branches and sessions
-- The message is the last entry of the longest path. The recursive query follows parent links upwards, including from a
-- session to the session that it continues, and from a subagent to its call. At a compaction it follows the logical
-- parent. That entry can be a descendant of the boundary, which would make the recursion endless. The query therefore
-- uses `union`, which drops entries that it has already visited.
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
