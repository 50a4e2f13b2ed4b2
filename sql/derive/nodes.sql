-- The entries of the sessions in temp.family as the graph sees them, by time, and where they were placed last.
-- columns: those of model.graph.Node; those of places; call, named, model
select
    e.id,
    e.uuid,
    o.session,
    o.at,
    o.is_stamped,
    o.source,
    o.generation,
    o.offset,
    e.kind,
    e.is_command,
    e.is_typed and e.kind = 'prompt',
    e.is_active,
    coalesce(e.type = 'system' and e.subtype = 'local_command', 0),
    e.is_sidechain or s.role = 'agent',
    coalesce(e.agent_id, s.agent_id),
    e.agent_id,
    s.workflow_run,
    l.parent,
    e.form,
    p.entry,
    p.thread,
    p.line,
    p.position,
    p.reason,
    p.fork,
    p.parent,
    case when e.subtype = 'agent_progress' then e.parent_tool_use_id end,
    e.named_agent_id,
    m.model
from temp.family f
cross join occurrences o on o.session = f.session and o.is_owner = 1
join entries e on e.id = o.entry
join sources s on s.id = o.source
left join edges l on l.child = e.id and l.kind = 'parent'
left join places p on p.entry = e.id
left join messages m on m.entry = e.id and m.is_wrapped = 0
order by o.at, s.path, o.generation, o.offset
