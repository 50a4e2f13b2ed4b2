-- Entries and queued text that match a full-text query, best match first.
-- params:  query, project (part of the name), session_id, type (type, kind or form), model (part of the name),
-- params:  tool (a glob pattern), status, since, until, limit
-- columns: uuid, session_id, line_id, timestamp, type, rank, entry (negative: the occurrence that queued the text),
-- columns: kind, project, agent_id (of the thread, or of the reporting subagent), status, fork_uuid, timestamp_ms,
-- columns: form, source_path, line_no
with pieces(id, rank) as materialized (
    select
        rowid % 1099511627776, -- ROWID_STEP in ccindex/store/create.py: long text is divided among several rows
        bm25(entries_fts, 10.0, 5.0, 2.0, 3.0, 1.0, 1.0) -- conversation weighs more than tool results
    from entries_fts
    where entries_fts match :query
),
matches(id, rank) as materialized (
    select id, min(rank)
    from pieces
    group by id
),
hits as (
    select
        e.uuid,
        i.session_id,
        l.line_id,
        e.timestamp,
        e.type,
        h.rank,
        e.id as entry,
        e.kind,
        x.project,
        coalesce(t.agent_id, (
            select a.agent_id
            from task_notices n
            join agents a on a.session = e.session and a.agent_id = n.task_id
            where n.entry = e.id and e.form = 'notification' and n.result is not null
            order by n.id
            limit 1
        )) as agent_id,
        case when w.line is null then 'set-aside' when l.is_active then 'active' else 'abandoned' end as status,
        f.uuid as fork_uuid,
        e.timestamp_ms as timestamp_ms,
        e.form,
        s.path,
        e.line_no,
        e.generation,
        e.offset
    from matches h
    cross join owned_entries e on e.id = h.id
    join session_ids i on i.id = e.session
    join sources s on s.id = e.source
    join sessions x on x.session = e.session
    left join placements w on w.entry = e.id
    left join lines l on l.id = w.line
    left join threads t on t.id = w.thread
    left join entries f on f.id = w.fork and w.line is null
    where (
            :type is null
            or e.type = :type
            or e.kind = :type
            or e.form = :type
            or (e.form = 'queued' and :type in ('prompt', 'typed'))
        )
        and (
            :model is null
            or exists (select 1 from messages m where m.entry = e.id and instr(lower(m.model), lower(:model)) > 0)
        )
        and (
            :tool is null
            or exists (select 1 from tool_uses u where u.entry = e.id and lower(u.name) glob lower(:tool))
            or exists (
                select 1
                from tool_results r
                join tool_pairs p on p.tool_use_id = r.tool_use_id and p.session = e.session
                join tool_uses u on u.entry = p.use and u.idx = p.use_idx
                where r.entry = e.id and lower(u.name) glob lower(:tool)
            )
        )
    union all
    select
        null,
        i.session_id,
        l.line_id,
        r.timestamp,
        o.type,
        h.rank,
        h.id,
        'prompt',
        x.project,
        null,
        case when coalesce(l.is_active, 1) then 'active' else 'abandoned' end,
        null,
        q.timestamp_ms,
        'queued',
        s.path,
        o.line_no,
        o.generation,
        o.offset
    from matches h
    cross join queued_words q on q.occurrence = -h.id
    join occurrences o on o.id = q.occurrence
    join records r on r.occurrence = q.occurrence
    join session_ids i on i.id = q.session
    join sources s on s.id = o.source
    join sessions x on x.session = q.session
    left join placements w on w.entry = q.entry
    left join lines l on l.id = w.line
    where :model is null
        and :tool is null
        and (:type is null or :type in (o.type, 'prompt', 'typed', 'queued'))
)
select
    uuid,
    session_id,
    line_id,
    timestamp,
    type,
    rank,
    entry,
    kind,
    project,
    agent_id,
    status,
    fork_uuid,
    timestamp_ms,
    form,
    path as source_path,
    line_no
from hits
where (:project is null or instr(lower(project), lower(:project)) > 0)
    and (:session_id is null or session_id = :session_id)
    and (:since is null or timestamp_ms >= :since)
    and (:until is null or timestamp_ms < :until)
    and (:status is null or status = :status)
order by rank, timestamp_ms desc, path, generation, offset
limit coalesce(:limit, -1)
