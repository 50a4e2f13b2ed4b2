-- The titles of the given sessions, or the texts from which their titles are made.
-- The text is the first typed prompt. If there is none, it is the first command, or failing that, the first prompt of
-- another kind or queued text.
-- params:  sessions (JSON array of session keys)
-- columns: session, title (NULL: none), text (NULL: the session has a title, or no text)
select
    i.id,
    nullif(v.title, ''),
    case
        when v.title <> '' then null
        when v.first_prompt <> '' then v.first_prompt
        else (
            select coalesce(f.text, (
                select group_concat(piece, char(10))
                from (select b.text as piece from blocks b where b.entry = f.id and b.type = 'text' order by b.idx)
            ))
            from (
                select e.id, e.text
                from owned_entries e
                join sources s on s.id = e.source
                where e.session = i.id
                    and (
                        e.kind = 'prompt'
                        or e.form = 'queued'
                        or (e.form = 'local_command' and instr(e.text, '<command-name>') > 0)
                    )
                order by
                    e.form not in ('slash_command', 'shell_command', 'local_command'),
                    e.timestamp_ms,
                    s.path,
                    e.generation,
                    e.offset
                limit 1
            ) f
        )
    end
from json_each(:sessions) j
cross join session_ids i on i.id = j.value
left join v1_sessions v on v.session_id = i.session_id
