-- Pairs of sessions connected by a tool call.
-- A Task or Agent call connects all sessions that contain it or its result. Any call connects the sessions that contain
-- it with the sessions whose sidecars or agent_progress entries refer to it.
-- Every pair includes the session with the lowest id, so a call in n sessions has n - 1 pairs.
-- Only calls of the given entries, sidecars of the given sessions, and the given sidecars are considered.
-- params:  entries (JSON), sessions (JSON), documents (JSON, sources of the sidecars)
-- columns: session, other
with changed(entry, session) as materialized (
    select e.id, e.session
    from json_each(:entries) j
    cross join owned_entries e on e.id = j.value
),
in_changed(session, tool_use_id) as materialized (
    select c.session, u.tool_use_id
    from changed c
    cross join tool_uses u on u.entry = c.entry
    where u.tool_use_id is not null
    union
    select c.session, r.tool_use_id
    from changed c
    cross join tool_results r on r.entry = c.entry
    where r.tool_use_id is not null
),
named(session, tool_use_id) as materialized (
    -- ids in changed progress entries
    select c.session, e.parent_tool_use_id
    from changed c
    cross join entries e on e.id = c.entry
    where e.named_agent_id is not null and e.parent_tool_use_id is not null
    union
    -- ids in sidecars next to changed agent files
    select e.session, k.tool_use_id
    from changed c
    cross join owned_entries e on e.id = c.entry
    join sources a on a.id = e.source and a.role = 'agent'
    join sources s on s.path = substr(a.path, 1, length(a.path) - length('.jsonl')) || '.meta.json'
    join sidecars k on k.source = s.id
    where k.tool_use_id is not null
    union
    -- ids in sidecars in the session's folder
    select i.id, k.tool_use_id
    from json_each(:sessions) j
    cross join session_ids i on i.id = j.value
    join sources s on s.session_hint = i.session_id
    join sidecars k on k.source = s.id
    where k.tool_use_id is not null
),
documents(source) as materialized (
    select value from json_each(:documents)
    union
    select k.source
    from in_changed h
    cross join sidecars k on k.tool_use_id = h.tool_use_id
),
described(session, tool_use_id) as materialized (
    select i.id, k.tool_use_id
    from documents d
    cross join sidecars k on k.source = d.source
    join sources s on s.id = d.source
    join session_ids i on i.session_id = s.session_hint
    where k.tool_use_id is not null
    union
    select o.session, k.tool_use_id
    from documents d
    cross join sidecars k on k.source = d.source
    join sources s on s.id = d.source
    join sources a on a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
    join occurrences o on o.source = a.id and o.entry is not null
    where k.tool_use_id is not null
),
named_or_described(session, tool_use_id) as materialized (
    select session, tool_use_id from named
    union
    select session, tool_use_id from described
),
-- ids in changed entries that belong to a Task or Agent call anywhere in the index
-- The subquery removes duplicates first. SQLite 3.51 and newer evaluate `select distinct ... where exists` as a join,
-- which would read all calls with an id again for each duplicate of the id.
spawning(tool_use_id) as materialized (
    select h.tool_use_id
    from (select distinct tool_use_id from in_changed) h
    where exists (
        select 1
        from tool_uses u
        where u.tool_use_id = h.tool_use_id and u.name in ('Task', 'Agent')
    )
),
tool_use_ids(tool_use_id) as materialized (
    select tool_use_id from named_or_described
    union
    select tool_use_id from spawning
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
-- ids in changed entries that also occur in a progress entry anywhere in the index
reported(tool_use_id) as materialized (
    select h.tool_use_id
    from (select distinct tool_use_id from in_changed) h
    where exists (
        select 1
        from entries e
        where e.parent_tool_use_id = h.tool_use_id and e.named_agent_id is not null
    )
),
members(session, tool_use_id) as materialized (
    select session, tool_use_id from containing
    union
    select n.session, n.tool_use_id
    from named_or_described n
    where n.tool_use_id in (select tool_use_id from containing)
    union
    select h.session, h.tool_use_id from in_changed h where h.tool_use_id in (select tool_use_id from reported)
    union
    select e.session, x.tool_use_id
    from reported x
    cross join owned_entries e on e.parent_tool_use_id = x.tool_use_id and e.named_agent_id is not null
)
select distinct session, other
from (select session, min(session) over (partition by tool_use_id) as other from members)
where session <> other
