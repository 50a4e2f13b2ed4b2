-- The subagent threads of a session by time of their first entry, with the entry that their earliest root attaches to.
-- params:  session_id
-- columns: thread, entry (the first), last_uuid, entry_count, attachment_uuid (NULL: none)
with members as (
    select
        t.id as thread,
        e.id as entry,
        e.uuid,
        row_number() over (order by e.timestamp_ms, s.path, e.generation, e.offset) as rank
    from session_ids i
    join owned_entries e on e.session = i.id
    join sources s on s.id = e.source
    join placements p on p.entry = e.id
    join threads t on t.id = p.thread
    where i.session_id = :session_id and t.agent_id is not null
),
spans as (
    select thread, min(rank) as first, max(rank) as last, count(*) as entry_count
    from members
    group by thread
)
select n.thread, f.entry, l.uuid as last_uuid, n.entry_count, a.uuid as attachment_uuid
from spans n
join members f on f.rank = n.first
join members l on l.rank = n.last
left join roots r on r.thread = n.thread and r.kind = 'agent' -- the earliest root; none if a cycle was cut there
left join placements p on p.entry = r.entry
left join entries a on a.id = p.effective_parent
order by n.first
