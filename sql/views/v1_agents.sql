create view v1_agents as
-- One row per subagent, whether or not there is a transcript of it.
with spent as (
    select
        u.session,
        u.agent_id,
        sum(u.responses) as responses,
        cast(total(u.input_tokens) as integer) as input_tokens,
        cast(total(u.output_tokens) as integer) as output_tokens,
        cast(total(u.cache_creation_tokens) as integer) as cache_creation_tokens,
        cast(total(u.cache_read_tokens) as integer) as cache_read_tokens,
        case when sum(u.priced) > 0 then total(u.cost_nanousd) / 1e9 end as cost
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
        row_number() over (partition by d.session_hint, d.agent_id order by d.path) as place
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
        ) as place
    from sources d
    join sidecars k on k.source = d.id
    join json_each(k.payload, '$.workflowProgress') j on j.type = 'object'
    where d.role = 'run'
)
select
    a.agent_id,
    i.session_id,
    (select l.line_id from lines l where l.thread = a.thread and l.line_id = t.thread_id) as line_id, -- NULL: none
    a.name, -- what the call asked for, else the sidecar's agentType, else unknown
    a.kind, -- task, async, teammate, workflow, unknown
    a.depth, -- 1: spawned by the trunk; NULL: nothing says where
    a.parent_agent_id,
    p.uuid as spawn_uuid, -- the entry it hangs on: the call's result, else the call
    a.tool_use_id,
    coalesce(
        nullif(case when json_type(g.input, '$.prompt') = 'text' then json_extract(g.input, '$.prompt') end, ''),
        (
            select group_concat(words, char(10))
            from (
                select b.text as words
                from blocks b
                where b.entry = a.told and b.type = 'text' and b.text <> ''
                order by b.idx
            )
        )
    ) as prompt, -- the spawner's words
    a.status, -- completed, failed, interrupted, running (no result yet), unknown
    a.entry_count, -- 0: only other entries speak of it
    f.timestamp as first_timestamp, -- of its own entries, else of the progress reported of it
    z.timestamp as last_timestamp,
    (select o.timestamp_ms from owned_entries o where o.id = a.first_entry) as first_timestamp_ms,
    (select o.timestamp_ms from owned_entries o where o.id = a.last_entry) as last_timestamp_ms,
    coalesce(
        x.duration_ms,
        (
            select l.timestamp_ms - o.timestamp_ms
            from owned_entries o
            join owned_entries l on l.id = a.last_entry
            where o.id = a.first_entry
        )
    ) as duration_ms, -- as its result says, else from its first entry to its last
    coalesce(s.responses, 0) as responses,
    coalesce(s.input_tokens, 0) as input_tokens,
    coalesce(s.output_tokens, 0) as output_tokens,
    coalesce(s.cache_creation_tokens, 0) as cache_creation_tokens,
    coalesce(s.cache_read_tokens, 0) as cache_read_tokens,
    case when s.responses is null then 0.0 else s.cost end as est_cost_usd,
    x.total_tokens as reported_tokens, -- by its result
    x.total_tool_uses as reported_tool_uses,
    c.uuid as call_uuid,
    r.uuid as result_uuid,
    a.rule, -- that found the spawn: sidecar, workflow, result, mention, progress, prompt; recorded: its own parent
    coalesce(
        case when k.is_fork then k.description end,
        json_extract(g.input, '$.description'),
        k.description
    ) as description, -- by the call; of a fork by its sidecar
    json_extract(g.input, '$.name') as teammate_name,
    a.workflow_run,
    n.label as workflow_label,
    n.phase as workflow_phase
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
left join entries f on f.id = a.first_entry
left join entries z on z.id = a.last_entry
left join spent s on s.session = a.session and s.agent_id = a.agent_id
left join described k on k.place = 1 and k.session_hint = i.session_id and k.agent_id = a.agent_id
left join named n on n.place = 1
    and n.session_hint = i.session_id
    and n.workflow_run = a.workflow_run
    and n.agent_id = a.agent_id
