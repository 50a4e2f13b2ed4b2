-- Every subagent with a thread has one row, the references in agent rows resolve, and the agent counts are correct.
select 'no row', t.thread_id
from threads t
left join agents a on a.session = t.session and a.agent_id = t.agent_id
where t.agent_id is not null and a.thread is not t.id
union all
select 'no thread', a.agent_id
from agents a
left join threads t on t.id = a.thread
where a.thread is not null and t.id is null
union all
select 'no entry', a.agent_id
from agents a
left join entries e on e.id = a.spawn
where a.spawn is not null and e.occurrence is null
union all
select 'not counted', i.session_id
from sessions x
join session_ids i on i.id = x.session
where x.agent_count <> (select count(*) from agents a where a.session = x.session)
