create view v1_agents as
-- One row per subagent, including subagents without a transcript.
with usage as (
    select
        u.session,
        u.agent_id,
        sum(u.responses) as responses,
        cast(total(u.input_tokens) as integer) as input_tokens,
        cast(total(u.output_tokens) as integer) as output_tokens,
        cast(total(u.cache_creation_tokens) as integer) as cache_creation_tokens,
        cast(total(u.cache_read_tokens) as integer) as cache_read_tokens,
        case when sum(u.priced_responses) > 0 then total(u.cost_nanousd) / 1e9 end as cost
    from usage_totals u
    where u.agent_id is not null and u.responses > 0
    group by u.session, u.agent_id
),
described as (
    select
        d.session_hint,
        d.agent_id,
        k.description,
        json_extract(k.payload, '$.isFork') in (1, 'true') as is_fork,
        row_number() over (partition by d.session_hint, d.agent_id order by d.path) as rank
    from sources d
    join sidecars k on k.source = d.id
    where d.role = 'sidecar' and d.agent_id is not null and k.description is not null
),
named as (
    select
        d.session_hint,
        d.workflow_run,
        json_extract(j.value, '$.agentId') as agent_id,
        json_extract(j.value, '$.label') as label,
        json_extract(j.value, '$.phaseTitle') as phase,
        row_number() over (
            partition by d.session_hint, d.workflow_run, json_extract(j.value, '$.agentId')
            order by d.path, j.key
        ) as rank
    from sources d
    join sidecars k on k.source = d.id
    join json_each(k.payload, '$.workflowProgress') j on j.type = 'object'
    where d.role = 'run'
)
select
    a.agent_id, -- id of the subagent
    i.session_id, -- session that the subagent belongs to
    (select l.line_id from lines l where l.thread = a.thread and l.line_id = t.thread_id) as line_id, -- line of the subagent; NULL if it has none
    a.name, -- agent type from the call, or from the sidecar (agentType) if the call has none; unknown if neither has one
    a.kind, -- task, async, teammate, workflow or unknown
    a.depth, -- nesting depth: 1 if the session itself spawned the subagent; NULL if the spawning entry of this subagent, or of a subagent above it, is unknown
    a.parent_agent_id, -- subagent that spawned this one; NULL if the session itself spawned it or the spawning entry is unknown
    p.uuid as spawn_uuid, -- entry that the subagent is attached to: usually the result of the spawning call, or the call if it has no result
    a.tool_use_id, -- id of the spawning call
    coalesce(
        nullif(case when json_type(g.input, '$.prompt') = 'text' then json_extract(g.input, '$.prompt') end, ''),
        (
            select group_concat(piece, char(10))
            from (
                select b.text as piece
                from blocks b
                where b.entry = a.first_prompt and b.type = 'text' and b.text <> ''
                order by b.idx
            )
        )
    ) as prompt, -- prompt that the subagent was given
    a.status, -- completed, failed, interrupted, running (no end was recorded) or unknown
    a.entry_count, -- number of entries in the subagent's thread; 0 if the subagent is only mentioned in other entries
    (select o.timestamp from owned_entries o where o.id = a.first_entry) as first_timestamp, -- recorded timestamp of its first entry, or of the first progress entry about it if it has no entries
    (select o.timestamp from owned_entries o where o.id = a.last_entry) as last_timestamp, -- recorded timestamp of its last entry, or of the last progress entry about it if it has no entries
    (select o.timestamp_ms from owned_entries o where o.id = a.first_entry) as first_timestamp_ms, -- time of that entry in milliseconds since the Unix epoch
    (select o.timestamp_ms from owned_entries o where o.id = a.last_entry) as last_timestamp_ms, -- time of that entry in milliseconds since the Unix epoch
    coalesce(
        x.duration_ms,
        (
            select l.timestamp_ms - o.timestamp_ms
            from owned_entries o
            join owned_entries l on l.id = a.last_entry
            where o.id = a.first_entry
        )
    ) as duration_ms, -- duration in milliseconds, as reported by the result, or from the first entry to the last if the result reports none
    coalesce(s.responses, 0) as responses, -- number of API responses
    coalesce(s.input_tokens, 0) as input_tokens, -- input tokens, excluding cache reads and writes
    coalesce(s.output_tokens, 0) as output_tokens, -- output tokens
    coalesce(s.cache_creation_tokens, 0) as cache_creation_tokens, -- tokens written to the prompt cache
    coalesce(s.cache_read_tokens, 0) as cache_read_tokens, -- tokens read from the prompt cache
    case when s.responses is null then 0.0 else s.cost end as est_cost_usd, -- estimated cost in US dollars; 0 if there are no responses, NULL if no response has a known price
    x.total_tokens as reported_tokens, -- total tokens reported by the result
    x.total_tool_uses as reported_tool_uses, -- number of tool calls reported by the result
    c.uuid as call_uuid, -- entry that contains the spawning call
    r.uuid as result_uuid, -- entry that contains the result of that call
    a.rule, -- rule that identified the spawning entry: context, sidecar, workflow, result, mention, progress or prompt, or 'recorded' if the spawning entry is the recorded parent of the subagent's first entry
    coalesce(
        case when k.is_fork then k.description end,
        json_extract(g.input, '$.description'),
        k.description
    ) as description, -- short description of the task, from the call, or from the sidecar if the call has none; for a forked subagent, the sidecar takes precedence
    json_extract(g.input, '$.name') as teammate_name, -- teammate's name, from the call
    a.workflow_run, -- workflow run that the subagent belongs to
    n.label as workflow_label, -- label of the subagent in that run
    n.phase as workflow_phase -- title of the workflow phase in which the subagent worked
from agents a
join session_ids i on i.id = a.session
left join threads t on t.id = a.thread
left join entries p on p.id = a.spawn
left join entries c on c.id = a.call
left join tool_uses g on g.entry = a.call and g.idx = (
    select min(k.idx) from tool_uses k where k.entry = a.call and k.tool_use_id is a.tool_use_id
)
left join entries r on r.id = a.result
left join tool_outcomes x on x.entry = a.result
left join usage s on s.session = a.session and s.agent_id = a.agent_id
left join described k on k.rank = 1 and k.session_hint = i.session_id and k.agent_id = a.agent_id
left join named n on n.rank = 1
    and n.session_hint = i.session_id
    and n.workflow_run = a.workflow_run
    and n.agent_id = a.agent_id
