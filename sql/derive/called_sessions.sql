-- Pairs of sessions that connect all that name a call, in a sidecar or an agent_progress entry, with all that hold it.
-- They connect all sessions that hold one call for an agent, too.
-- One session of each call is the centre of its pairs, so that their number is that of its sessions, not the square.
-- Looks at what temp.whose holds, what the sessions in temp.stale name, and the sidecars in temp.documents.
-- columns: session, other
with held(session, tool_use_id) as materialized (
    select c.session, u.tool_use_id
    from temp.whose c
    cross join tool_uses u on u.entry = c.entry
    where u.tool_use_id is not null
    union
    select c.session, r.tool_use_id
    from temp.whose c
    cross join tool_results r on r.entry = c.entry
    where r.tool_use_id is not null
),
named(session, tool_use_id) as materialized (
    -- by progress entries that changed
    select c.session, e.parent_tool_use_id
    from temp.whose c
    cross join entries e on e.id = c.entry
    where e.named_agent_id is not null and e.parent_tool_use_id is not null
    union
    -- by the sidecars beside agent files that changed
    select e.session, k.tool_use_id
    from temp.whose c
    cross join owned_entries e on e.id = c.entry
    join sources a on a.id = e.source and a.role = 'agent'
    join sources s on s.path = substr(a.path, 1, length(a.path) - length('.jsonl')) || '.meta.json'
    join sidecars k on k.source = s.id
    where k.tool_use_id is not null
    union
    -- by the sidecars in a stale session's folder
    select t.session, k.tool_use_id
    from temp.stale t
    cross join session_ids i on i.id = t.session
    join sources s on s.session_hint = i.session_id
    join sidecars k on k.source = s.id
    where k.tool_use_id is not null
),
documents(source) as materialized (
    select document from temp.documents
    union
    select k.source
    from held h
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
wanted(session, tool_use_id) as materialized (
    select session, tool_use_id from named
    union
    select session, tool_use_id from described
),
-- what changed entries hold and calls for agents anywhere have as their id
spawning(tool_use_id) as materialized (
    select distinct h.tool_use_id
    from held h
    where exists (
        select 1
        from tool_uses u
        where u.tool_use_id = h.tool_use_id and u.name in ('Task', 'Agent')
    )
),
sought(tool_use_id) as materialized (
    select tool_use_id from wanted
    union
    select tool_use_id from spawning
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
-- what changed entries hold and progress entries anywhere name
reported(tool_use_id) as materialized (
    select distinct h.tool_use_id
    from held h
    where exists (
        select 1
        from entries e
        where e.parent_tool_use_id = h.tool_use_id and e.named_agent_id is not null
    )
),
members(session, tool_use_id) as materialized (
    select session, tool_use_id from holders
    union
    select w.session, w.tool_use_id from wanted w where w.tool_use_id in (select tool_use_id from holders)
    union
    select h.session, h.tool_use_id from held h where h.tool_use_id in (select tool_use_id from reported)
    union
    select e.session, x.tool_use_id
    from reported x
    cross join owned_entries e on e.parent_tool_use_id = x.tool_use_id and e.named_agent_id is not null
),
centres(session, tool_use_id) as materialized (
    select min(session), tool_use_id from members group by tool_use_id
)
select m.session, c.session as other
from centres c
cross join members m on m.tool_use_id = c.tool_use_id
where m.session <> c.session
group by 1, 2
