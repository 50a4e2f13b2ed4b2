-- Changed entries, in time order, with the columns that decide whether an entry only extends its line.
-- Entries of sessions that owned no entries when they were last derived are left out.
-- has_effects: other derived rows can change, because the entry is not new, or because of its kind, its links, the ids
-- in it, or the agents and tasks that it mentions.
-- child_count: the number of recorded children, at most 2.
-- params:  entries (JSON)
-- columns: the fields of store.line_ends.AppendedEntry
select
    e.id,
    e.session,
    e.timestamp_ms,
    e.source,
    e.generation,
    case when e.is_sidechain or f.role = 'agent' then coalesce(e.agent_id, f.agent_id, '') end,
    l.parent,
    (select count(*) from (select 1 from edges x where x.parent = e.id limit 2)),
    e.kind = 'prompt',
    e.is_typed and not e.is_command,
    e.kind = 'prompt' or coalesce(e.subtype in ('queued_command', 'local_command'), 0),
    nullif(m.model, '<synthetic>'),
    coalesce(e.kind = 'assistant' and m.model is not '<synthetic>' and m.message_id is not null, 0),
    e.kind = 'boundary'
        or e.is_active is not null
        or e.named_agent_id is not null
        or e.form is 'interrupt'
        or (e.agent_id is not null and not e.is_sidechain and f.role <> 'agent')
        or exists (select 1 from placements p where p.entry = e.id)
        or exists (select 1 from edges x where x.child = e.id and x.kind <> 'parent')
        or exists (select 1 from agent_mentions x where x.entry = e.id)
        or exists (select 1 from task_notices x where x.entry = e.id)
        or exists (
            select 1
            from tool_outcomes x
            where x.entry = e.id and (x.agent_id is not null or x.workflow_run is not null)
        )
        or exists (
            select 1
            from (
                select u.tool_use_id, u.name from tool_uses u where u.entry = e.id
                union all
                select r.tool_use_id, null from tool_results r where r.entry = e.id
            ) i
            where i.name in ('Task', 'Agent')
                or exists (
                    select 1 from tool_uses x where x.tool_use_id = i.tool_use_id and x.name in ('Task', 'Agent')
                )
                or exists (select 1 from sidecars x where x.tool_use_id = i.tool_use_id)
                or exists (select 1 from agents x where x.tool_use_id = i.tool_use_id)
                or exists (
                    select 1
                    from entries x
                    where x.parent_tool_use_id = i.tool_use_id and x.named_agent_id is not null
                )
        )
        -- a call whose id is already in use
        or exists (
            select 1
            from tool_uses u
            where u.entry = e.id
                and (
                    exists (
                        select 1
                        from tool_uses x
                        join placements p on p.entry = x.entry
                        where x.tool_use_id = u.tool_use_id
                    )
                    or exists (
                        select 1
                        from tool_results x
                        join placements p on p.entry = x.entry
                        where x.tool_use_id = u.tool_use_id
                    )
                )
        )
from json_each(:entries) j
cross join owned_entries e on e.id = j.value
join sessions s on s.session = e.session and s.first_entry is not null
join sources f on f.id = e.source
left join edges l on l.child = e.id and l.kind = 'parent'
left join messages m on m.entry = e.id and m.is_wrapped = 0
order by e.timestamp_ms, f.path, e.generation, e.offset
