-- Entries that match a full-text query, the best first.
-- params:  query, project (a part of it), session_id, type (or kind, or form), model (a part of it), tool (a pattern),
-- params:  status, since, until, limit
-- columns: uuid, session_id, line_id, timestamp, type, rank, entry, kind, project, agent_id, status, fork_uuid,
-- columns: timestamp_ms
select
    e.uuid,
    i.session_id,
    l.line_id,
    e.timestamp,
    e.type,
    bm25(search, 10.0, 5.0, 2.0, 3.0, 1.0, 1.0) as rank, -- what was said before what tools gave back
    e.id as entry,
    e.kind,
    x.project,
    t.agent_id,
    case when w.line is null then 'set-aside' when l.is_active then 'active' else 'abandoned' end as status,
    f.uuid as fork_uuid,
    o.at as timestamp_ms
from search
join entries e on e.id = search.rowid
join occurrences o on o.id = e.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
join sessions x on x.session = o.session
left join places w on w.entry = e.id
left join lines l on l.id = w.line
left join threads t on t.id = w.thread
left join entries f on f.id = w.fork and w.line is null
where search match :query
    and (:project is null or instr(lower(x.project), lower(:project)) > 0)
    and (:session_id is null or i.session_id = :session_id)
    and (:type is null or e.type = :type or e.kind = :type or e.form = :type)
    and (
        :model is null
        or exists (select 1 from messages m where m.entry = e.id and instr(lower(m.model), lower(:model)) > 0)
    )
    and (:since is null or o.at >= :since)
    and (:until is null or o.at < :until)
    and (
        :status is null
        or :status = case when w.line is null then 'set-aside' when l.is_active then 'active' else 'abandoned' end
    )
    and (
        :tool is null
        or exists (select 1 from tool_uses u where u.entry = e.id and lower(u.name) glob lower(:tool))
        or exists (
            select 1
            from tool_results r
            join tool_pairs p on p.tool_use_id = r.tool_use_id and p.session = o.session
            join tool_uses u on u.entry = p.use and u.idx = p.use_idx
            where r.entry = e.id and lower(u.name) glob lower(:tool)
        )
    )
order by rank, o.at desc, s.path, o.generation, o.offset
limit coalesce(:limit, -1)
