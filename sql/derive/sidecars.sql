-- Agent sidecars in the folders of the given sessions, and agent sidecars next to the given transcripts.
-- params:  sessions (JSON), sources (JSON, the transcripts)
-- columns: session_id, agent_id, transcript (source, NULL: no given transcript is next to it),
-- columns: tool_use_id, name, agent_type
with matches(sidecar, transcript) as (
    select s.id, null
    from json_each(:sessions) j
    cross join session_ids i on i.id = j.value
    join sources s on s.session_hint = i.session_id and s.role = 'sidecar'
    union
    select s.id, a.id
    from json_each(:sources) j
    cross join sources a on a.id = j.value and a.role = 'agent'
    join sources s on s.path = substr(a.path, 1, length(a.path) - length('.jsonl')) || '.meta.json'
)
select s.session_hint, s.agent_id, max(m.transcript), k.tool_use_id, k.name, k.agent_type
from matches m
cross join sources s on s.id = m.sidecar
join sidecars k on k.source = s.id
where s.agent_id is not null
group by s.id
order by s.path
