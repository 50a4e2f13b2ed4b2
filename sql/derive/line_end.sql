-- The given entry, if it is the last one on a line where a path ends.
-- It must not have been put there by a fork, and the given new child must have the only link to it.
-- The path must be the last one of the session's conversation paths or agent paths.
-- params:  entry, child
-- columns: the fields of store.line_ends.LineEnd
select
    p.entry,
    p.thread,
    t.session,
    t.agent_id,
    p.line,
    p.position,
    l.kind in ('branch', 'agent_branch'),
    o.source,
    o.generation,
    t.agent_id is null or exists (select 1 from agents a where a.thread = t.id and a.first_prompt is not null)
from placements p
join lines l on l.id = p.line and l.entry_count = p.position + 1
join paths w on w.line = l.id
join threads t on t.id = p.thread
join entries e on e.id = p.entry
join occurrences o on o.id = e.occurrence
where p.entry = :entry
    and p.fork is null
    and not exists (
        select 1
        from threads y
        cross join lines z on z.thread = y.id
        cross join paths v on v.line = z.id
        where y.session = t.session and (y.agent_id is null) = (t.agent_id is null) and v.number > w.number
    )
    and not exists (select 1 from placements x where x.effective_parent = p.entry)
    and not exists (select 1 from edges x where x.parent = p.entry and x.child <> :child)
