-- All pairs of sessions connected by a tool call; see `session_pairs_by_call`.
-- columns: session, other
with named(session, tool_use_id) as materialized (
    -- ids in progress entries
    select e.session, e.parent_tool_use_id
    from owned_entries e
    where e.named_agent_id is not null and e.parent_tool_use_id is not null
    union
    -- ids in sidecars in the session's folder
    select i.id, k.tool_use_id
    from sidecars k
    join sources s on s.id = k.source
    join session_ids i on i.session_id = s.session_hint
    where k.tool_use_id is not null
    union
    -- ids in sidecars next to a transcript
    select o.session, k.tool_use_id
    from sidecars k
    join sources s on s.id = k.source
    join sources a on a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
    join occurrences o on o.source = a.id and o.entry is not null
    where k.tool_use_id is not null
),
tool_use_ids(tool_use_id) as materialized (
    select tool_use_id from named
    union
    select tool_use_id from tool_uses where name in ('Task', 'Agent') and tool_use_id is not null
),
containing(session, tool_use_id) as materialized (
    select e.session, w.tool_use_id
    from tool_use_ids w
    cross join tool_uses u on u.tool_use_id = w.tool_use_id
    join owned_entries e on e.id = u.entry
    union
    select e.session, w.tool_use_id
    from tool_use_ids w
    cross join tool_results r on r.tool_use_id = w.tool_use_id
    join owned_entries e on e.id = r.entry
),
members(session, tool_use_id) as materialized (
    select session, tool_use_id from containing
    union
    select session, tool_use_id from named where tool_use_id in (select tool_use_id from containing)
)
select distinct session, other
from (select session, min(session) over (partition by tool_use_id) as other from members)
where session <> other
