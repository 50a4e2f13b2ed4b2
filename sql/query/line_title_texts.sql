-- The texts from which the titles of branches and subagents are made.
-- Only the first 20 entries of a line are considered. The text is the first prompt, or the first text of any kind if
-- there is no prompt. For a retry, it is the first text or tool name.
-- params:  lines (JSON array of line keys)
-- columns: line, text (NULL: none)
select
    l.id,
    case
        when l.kind in ('branch', 'agent_branch') and k.verdict = 'retry' then (
            select coalesce(nullif(b.text, ''), u.name)
            from placements p
            cross join blocks b on b.entry = p.entry
            left join tool_uses u on u.entry = b.entry and u.idx = b.idx
            where p.line = l.id
                and p.position < 20
                and ((b.type = 'text' and b.text <> '') or u.name is not null)
            order by p.position, b.idx
            limit 1
        )
        else (
            select v.text
            from placements p
            cross join entries e on e.id = p.entry
            cross join v1_entries v on v.uuid = e.uuid
            where p.line = l.id and p.position < 20 and v.text is not null
            order by v.kind <> 'prompt', p.position
            limit 1
        )
    end
from json_each(:lines) j
cross join lines l on l.id = j.value
left join forks k on k.entry = l.attachment and k.thread = l.thread
