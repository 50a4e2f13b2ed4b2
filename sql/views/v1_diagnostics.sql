create view v1_diagnostics as
-- One row per diagnostic about a file, a line or an entry.
select
    d.kind, -- kind of diagnostic, such as malformed-line or orphan-parent
    d.severity, -- info, warning or error
    d.session_id, -- session of the entry; if there is no entry, the session id in the folder name or, failing that, the session of the nearest object before the line
    cast(null as text) as uuid, -- entry that the diagnostic is about; NULL if it is not about an entry
    cast(coalesce(s.path, d.path) as text) as source_path, -- file or folder that the diagnostic is about
    d.line_no, -- line number in that file, from 1
    d.detail -- further information, in a format that depends on kind
from diagnostics d
left join sources s on s.id = d.source
union all
select
    f.kind,
    f.severity,
    i.session_id,
    e.uuid,
    s.path,
    e.line_no,
    case f.kind
        when 'orphan-parent' then (
            select p.uuid
            from edges l
            join entries p on p.id = l.parent
            where l.child = f.entry and l.kind = 'parent'
        )
        else f.detail
    end
from graph_diagnostics f
join owned_entries e on e.id = f.entry
join session_ids i on i.id = e.session
join sources s on s.id = e.source
union all
select 'source-missing', 'info', s.session_hint, null, s.path, null, null
from sources s
where s.is_missing
union all
select 'source-rewritten', 'info', s.session_hint, null, s.path, null, s.generation || ' generations'
from sources s
where s.generation > 1 and s.role in ('session', 'agent', 'journal')
union all
select 'empty-source', 'info', s.session_hint, null, s.path, null, null
from sources s
join generations g on g.source = s.id and g.number = s.generation
where g.archived = 0 and s.role in ('session', 'agent', 'journal')
union all
select 'redacted', 'info', s.session_hint, null, s.path, null,
    count(*) || case count(*) when 1 then ' forgotten object' else ' forgotten objects' end
from redactions r
join sources s on s.id = r.source
group by r.source
union all
select 'unknown-type', 'info', null, null, r.first_source_path, r.first_line_no,
    r.name || ', ' || r.count || ' times' || case r.version when '' then '' else ' in ' || r.version end
from v1_drift r
where r.kind = 'type'
union all
select 'duplicate-uuid-differs', c.severity, i.session_id, e.uuid, s.path, e.line_no, c.keys
from copy_conflicts c
join owned_entries e on e.id = +c.entry -- the + keeps SQLite from scanning all entries first
join session_ids i on i.id = e.session
join sources s on s.id = e.source
union all
select 'extra-result', 'info', i.session_id, e.uuid, s.path, e.line_no, r.tool_use_id
from tool_results r
join owned_entries e on e.id = r.entry
join session_ids i on i.id = e.session
join sources s on s.id = e.source
join tool_pairs p on p.tool_use_id = r.tool_use_id and p.session = e.session
where p.result <> r.entry or p.result_idx <> r.idx
union all
select 'orphan-result', 'info', i.session_id, e.uuid, s.path, e.line_no, p.tool_use_id
from tool_pairs p
join owned_entries e on e.id = p.result
join session_ids i on i.id = e.session
join sources s on s.id = e.source
where p.use is null
union all
select
    case when u.model is null then 'missing-model' else 'unknown-model' end,
    case when u.model is null then 'info' else 'warning' end,
    u.session_id,
    u.uuid,
    u.path,
    u.line_no,
    coalesce(u.model || ', ', '') || u.count || case u.count when 1 then ' response' else ' responses' end
from (
    select
        i.session_id,
        e.uuid,
        s.path,
        e.line_no,
        r.model,
        count(*) over per_model as count,
        row_number() over (per_model order by r.timestamp_ms, s.path, e.generation, e.offset) as rank
    from responses r
    join owned_entries e on e.id = r.entry
    join session_ids i on i.id = e.session
    join sources s on s.id = e.source
    where r.cost_nanousd is null
    window per_model as (partition by r.session, r.model)
) u
where u.rank = 1
