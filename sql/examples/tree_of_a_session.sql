-- One session's lines as a tree.
-- group: Branches and sessions
-- The query chooses the session with the most branches. Its recursive part goes from each line to its child lines, and
-- `sort_key` places every line below its parent.
with recursive
chosen as (
    select session_id
    from v1_sessions
    order by branch_count desc, agent_count desc, session_id
    limit 1
),
own as (
    select l.*, row_number() over (order by l.first_timestamp_ms, l.line_id) as number
    from v1_lines l
    join chosen c on c.session_id = l.session_id
),
tree(line_id, depth, sort_key) as (
    select line_id, 0, substr('0000' || number, -5)
    from own
    where parent_line_id is null or parent_line_id not in (select line_id from own)
    union all
    select o.line_id, t.depth + 1, t.sort_key || '.' || substr('0000' || o.number, -5)
    from tree t
    join own o on o.parent_line_id = t.line_id
)
select
    printf('%*s', 2 * t.depth, '') || o.kind as line,
    o.entry_count as entries,
    o.is_active,
    o.first_timestamp,
    substr(f.text, 1, 60) as first_text,
    o.line_id
from tree t
join own o on o.line_id = t.line_id
left join v1_entries f on f.line_id = o.line_id and f.position = 0
order by t.sort_key
limit 20
