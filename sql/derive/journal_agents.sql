-- Workflow agents in the journals of the given sessions: whether each has a result, and the status of its run.
-- params:  sessions (JSON)
-- columns: session, workflow_run, agent_id, has_result, run_status
select
    i.id as session,
    s.workflow_run,
    json_extract(r.payload, '$.agentId') as agent_id,
    max(o.type = 'result') as has_result,
    (
        select json_extract(k.payload, '$.status')
        from sources d
        join sidecars k on k.source = d.id
        where d.session_hint = s.session_hint
            and d.role = 'run'
            and d.workflow_run = s.workflow_run
            and json_valid(k.payload)
        order by d.path
        limit 1
    ) as run_status
from json_each(:sessions) f
cross join session_ids i on i.id = f.value
join sources s on s.session_hint = i.session_id and s.role = 'journal'
join occurrences o on o.source = s.id and o.entry is null and o.is_current = 1
join records r on r.occurrence = o.id
where o.type in ('started', 'result') and json_valid(r.payload)
group by 1, 2, 3
