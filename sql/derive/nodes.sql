-- The entries of some sessions as the graph sees them, by time, and their last placement.
-- params:  sessions (JSON)
-- columns: those of model.graph.Node; those of places; call, named, model
select
    e.id,
    e.uuid,
    o.session,
    o.timestamp_ms,
    o.has_own_timestamp,
    o.source,
    o.generation,
    o.offset,
    e.kind,
    e.is_command,
    e.is_typed,
    e.is_meta,
    e.is_compact_summary,
    e.is_active,
    coalesce(e.type = 'system' and e.subtype = 'local_command', 0),
    e.is_sidechain or s.role = 'agent',
    coalesce(e.agent_id, s.agent_id),
    e.agent_id,
    s.workflow_run,
    l.parent,
    e.form,
    case when e.kind = 'assistant' and m.model is not '<synthetic>' then m.message_id end,
    coalesce(e.kind = 'assistant' and m.model = '<synthetic>', 0),
    p.entry,
    p.thread,
    p.line,
    p.position,
    p.set_aside_reason,
    p.fork,
    p.effective_parent,
    p.fork_line,
    case when e.subtype = 'agent_progress' then e.parent_tool_use_id end,
    e.named_agent_id,
    m.model
from json_each(:sessions) j
cross join occurrences o on o.session = j.value and o.is_owner = 1
join entries e on e.id = o.entry
join sources s on s.id = o.source
left join edges l on l.child = e.id and l.kind = 'parent'
left join placements p on p.entry = e.id
left join messages m on m.entry = e.id and m.is_wrapped = 0
order by o.timestamp_ms, s.path, o.generation, o.offset
