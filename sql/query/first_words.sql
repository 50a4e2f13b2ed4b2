-- The first command that was typed in a session, else the first prompt of any kind, queued words included.
-- params:  session_id
-- columns: text
select coalesce(f.text, (
    select group_concat(words, char(10))
    from (select b.text as words from blocks b where b.entry = f.id and b.type = 'text' order by b.idx)
))
from (
    select e.id, e.text
    from session_ids i
    cross join occurrences o on o.session = i.id and o.is_owner = 1
    join entries e on e.id = o.entry
    join sources s on s.id = o.source
    where i.session_id = :session_id
        and (e.kind = 'prompt' or e.form = 'queued' or (e.form = 'local_command' and instr(e.text, '<command-name>') > 0))
    order by e.form not in ('slash_command', 'shell_command', 'local_command'), o.timestamp_ms, s.path, o.generation, o.offset
    limit 1
) f
