-- Pairs of sessions connected by a tool call, as in `called_sessions`, for all calls.
-- columns: session, other
with named(session, tool_use_id) as materialized (
    -- by progress entries
    select e.session, e.parent_tool_use_id
    from owned_entries e
    where e.named_agent_id is not null and e.parent_tool_use_id is not null
    union
    -- by the sidecars in a session's folder
    select i.id, k.tool_use_id
    from sidecars k
    join sources s on s.id = k.source
    join session_ids i on i.session_id = s.session_hint
    where k.tool_use_id is not null
    union
    -- by the sidecars beside a transcript
    select o.session, k.tool_use_id
    from sidecars k
    join sources s on s.id = k.source
    join sources a on a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
    join occurrences o on o.source = a.id and o.entry is not null
    where k.tool_use_id is not null
),
sought(tool_use_id) as materialized (
    select tool_use_id from named
    union
    select tool_use_id from tool_uses where name in ('Task', 'Agent') and tool_use_id is not null
),
holders(session, tool_use_id) as materialized (
    select e.session, w.tool_use_id
    from sought w
    cross join tool_uses u on u.tool_use_id = w.tool_use_id
    join owned_entries e on e.id = u.entry
    union
    select e.session, w.tool_use_id
    from sought w
    cross join tool_results r on r.tool_use_id = w.tool_use_id
    join owned_entries e on e.id = r.entry
),
members(session, tool_use_id) as materialized (
    select session, tool_use_id from holders
    union
    select session, tool_use_id from named where tool_use_id in (select tool_use_id from holders)
)
select distinct session, other
from (select session, min(session) over (partition by tool_use_id) as other from members)
where session <> other
