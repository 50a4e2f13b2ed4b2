-- The entries that a session owns, or its copies if it owns none, by time. Entries without a timestamp come last.
-- params:  session_id
-- columns: entry, uuid, timestamp_ms (NULL: not recorded), agent_id, kind, type, subtype, set_aside,
-- columns: line_id (of the fork, for an entry that was set aside; NULL: none),
-- columns: line_kind (retry for a branch that starts at a retry), is_active, line
with own_entries(entry) as (
    select distinct o.entry
    from session_ids i
    cross join occurrences o on o.session = i.id
    join entries e on e.id = o.entry
    join sessions x on x.session = i.id
    where i.session_id = :session_id and (e.occurrence = o.id or x.entry_count = 0)
)
select
    e.id,
    e.uuid,
    case when e.has_own_timestamp then e.timestamp_ms end,
    t.agent_id,
    e.kind,
    e.type,
    e.subtype,
    w.set_aside_reason,
    l.line_id,
    case when b.verdict = 'retry' and l.kind in ('branch', 'agent_branch') then 'retry' else l.kind end,
    l.is_active,
    l.id
from own_entries m
cross join owned_entries e on e.id = m.entry
join sources s on s.id = e.source
join placements w on w.entry = e.id
join threads t on t.id = w.thread
left join forks k on w.line is null and k.entry = w.fork and k.thread = w.thread
-- for history that was recorded again without a parent, the fork is the root that was kept
left join placements r on w.line is null and r.entry = w.fork
left join lines l on l.id = coalesce(w.line, k.line, r.line) and l.thread = w.thread
left join forks b on b.entry = l.attachment and b.thread = l.thread
order by e.has_own_timestamp desc, e.timestamp_ms, s.path, e.generation, e.offset
