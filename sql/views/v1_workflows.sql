create view v1_workflows as
-- One row per run of a workflow that left a journal, a run file or subagents.
with runs(session_id, workflow_run) as (
    select distinct session_hint, workflow_run
    from sources
    where workflow_run is not null and session_hint is not null
)
select
    w.session_id,
    w.workflow_run,
    json_extract(k.payload, '$.workflowName') as name,
    json_extract(k.payload, '$.status') as status, -- written when the run ends
    json_extract(k.payload, '$.timestamp') as timestamp,
    json_extract(k.payload, '$.durationMs') as duration_ms,
    json_extract(k.payload, '$.taskId') as task_id,
    json_extract(k.payload, '$.phases') as phases, -- JSON
    json_extract(k.payload, '$.workflowProgress') as progress, -- JSON: phases and agents as they came
    json_extract(k.payload, '$.totalTokens') as reported_tokens,
    (
        select count(*)
        from agents a
        join session_ids i on i.id = a.session
        where i.session_id = w.session_id and a.workflow_run = w.workflow_run
    ) as agent_count,
    (
        select count(*)
        from agents a
        join session_ids i on i.id = a.session
        where i.session_id = w.session_id and a.workflow_run = w.workflow_run and a.status = 'completed'
    ) as completed_count,
    s.path as source_path -- of the run file
from runs w
left join sources s on s.id = (
    select d.id
    from sources d
    where d.session_hint = w.session_id and d.workflow_run = w.workflow_run and d.role = 'run'
    order by d.path
    limit 1
)
left join sidecars k on k.source = s.id
