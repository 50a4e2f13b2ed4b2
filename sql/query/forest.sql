-- Lines with what they hang on, by time: all, or the trees that hold an entry recorded in a session.
-- params:  session_id (NULL: all)
-- columns: line, parent, line_id, session_id, kind, attachment_uuid, entry_count, is_active, parent_position,
-- columns: agent_id, first_at, relation, is_retry
with recursive
recorded(line) as (
    select distinct p.line
    from session_ids i
    cross join occurrences o on o.session = i.id
    join placements p on p.entry = o.entry
    where i.session_id = :session_id and p.line is not null
),
up(line) as (
    select line from recorded
    union
    select l.parent
    from up u
    join lines l on l.id = u.line
    where l.parent is not null
),
wanted(line) as (
    select id
    from lines
    where parent is null and (:session_id is null or id in (select line from up))
    union all
    select l.id
    from wanted w
    join lines l on l.parent = w.line
)
select
    l.id,
    l.parent,
    l.line_id,
    i.session_id,
    l.kind,
    a.uuid,
    l.entry_count,
    l.is_active,
    l.parent_position,
    t.agent_id,
    fo.timestamp_ms,
    case when l.kind = 'trunk' and l.parent is not null then x.relation end,
    l.kind in ('branch', 'agent_branch') and coalesce(k.verdict = 'retry', 0)
from wanted w
cross join lines l on l.id = w.line
join threads t on t.id = l.thread
join session_ids i on i.id = t.session
join placements p on p.line = l.id and p.position = 0
join entries e on e.id = p.entry
join occurrences o on o.id = e.occurrence
join sources s on s.id = o.source
left join sessions x on x.session = t.session
left join entries a on a.id = l.attachment
left join entries f on f.id = l.first_entry
left join occurrences fo on fo.id = f.occurrence
left join forks k on k.entry = l.attachment and k.thread = l.thread
order by o.timestamp_ms, s.path, o.generation, o.offset
