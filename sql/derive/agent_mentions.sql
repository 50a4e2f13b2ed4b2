-- Agents mentioned in the result texts of the given entries, with the call that each result answers.
-- params:  entries (JSON)
-- columns: entry, agent_id, tool_use_id
select m.entry, m.agent_id, r.tool_use_id
from json_each(:entries) j
cross join agent_mentions m on m.entry = j.value
left join tool_results r on r.entry = m.entry and r.idx = m.idx
order by m.entry, m.idx, m.agent_id
