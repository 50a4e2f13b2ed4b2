create view v1_workflows as
-- One row per workflow run that has a journal, a run file or subagents.
with runs(session_id, workflow_run) as (
    select distinct session_hint, workflow_run
    from sources
    where workflow_run is not null and session_hint is not null
)
select
    w.session_id, -- session that the run belongs to
    w.workflow_run, -- id of the run
    json_extract(k.payload, '$.workflowName') as name, -- name of the workflow
    json_extract(k.payload, '$.status') as status, -- final status, as recorded in the run file
    json_extract(k.payload, '$.timestamp') as timestamp, -- timestamp as recorded in the run file
    json_extract(k.payload, '$.durationMs') as duration_ms, -- duration of the run in milliseconds
    json_extract(k.payload, '$.taskId') as task_id, -- id of the background task
    json_extract(k.payload, '$.phases') as phases, -- phases as JSON
    json_extract(k.payload, '$.workflowProgress') as progress, -- phases and subagents as JSON, in the order recorded
    json_extract(k.payload, '$.totalTokens') as reported_tokens, -- total tokens as recorded
    (
        select count(*)
        from agents a
        join session_ids i on i.id = a.session
        where i.session_id = w.session_id and a.workflow_run = w.workflow_run
    ) as agent_count, -- number of subagents
    (
        select count(*)
        from agents a
        join session_ids i on i.id = a.session
        where i.session_id = w.session_id and a.workflow_run = w.workflow_run and a.status = 'completed'
    ) as completed_count, -- number of subagents that completed
    s.path as source_path -- path of the run file
from runs w
left join sources s on s.id = (
    select d.id
    from sources d
    where d.session_hint = w.session_id and d.workflow_run = w.workflow_run and d.role = 'run'
    order by d.path
    limit 1
)
left join sidecars k on k.source = s.id
