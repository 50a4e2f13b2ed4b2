-- The entries of the given sessions in time order, with the columns that the graph needs.
-- rule: time_order
-- params:  sessions (JSON)
-- columns: the fields of model.graph.Node, then parent_tool_use_id (of progress entries), named_agent_id, model
select
    e.id,
    e.uuid,
    e.session,
    e.timestamp_ms,
    e.has_own_timestamp,
    e.source,
    e.generation,
    e.offset,
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
    case when m.model is not '<synthetic>' then iif(m.message_id = '', m.response_id, m.message_id) end,
    m.model is '<synthetic>',
    case when e.subtype = 'agent_progress' then e.parent_tool_use_id end,
    e.named_agent_id,
    m.model
from json_each(:sessions) j
cross join owned_entries e on e.session = j.value
join sources s on s.id = e.source
left join edges l on l.child = e.id and l.kind = 'parent'
-- other entries have no messages but wrapped ones; NULL prevents the lookup
left join messages m on m.entry = iif(e.kind = 'assistant', e.id, null) and m.is_wrapped = 0
order by e.timestamp_ms, s.path, e.generation, e.offset
