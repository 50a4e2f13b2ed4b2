create view v1_commands as
-- One row per slash command or shell command that a person typed.
select
    e.uuid, -- uuid of the entry
    i.session_id, -- session that the entry belongs to
    l.line_id, -- line that contains the entry; NULL if the entry was set aside
    e.timestamp, -- timestamp as recorded
    case e.form when 'shell_command' then 'shell' else 'slash' end as kind, -- slash or shell
    case e.form
        when 'shell_command' then '!'
        else trim(substr(
            c.text,
            instr(c.text, '<command-name>') + 14,
            instr(c.text, '</command-name>') - instr(c.text, '<command-name>') - 14
        ))
    end as name, -- name of a slash command, such as /model or /clear; ! for a shell command
    case
        when e.form = 'shell_command' then substr(
            c.text,
            instr(c.text, '<bash-input>') + 12,
            instr(c.text || '</bash-input>', '</bash-input>') - instr(c.text, '<bash-input>') - 12
        )
        when instr(c.text, '<command-args>') > 0 then nullif(trim(substr(
            c.text,
            instr(c.text, '<command-args>') + 14,
            instr(c.text || '</command-args>', '</command-args>') - instr(c.text, '<command-args>') - 14
        )), '')
    end as arguments, -- arguments of a slash command, or the text of a shell command
    (
        select nullif(trim(
            replace(replace(replace(replace(replace(replace(
                coalesce(q.text, b.text), '<local-command-stdout>', ''), '</local-command-stdout>', ''), '<bash-stdout>', ''),
                '</bash-stdout>', ''), '<bash-stderr>', ''), '</bash-stderr>', ''),
            char(10) || ' '
        ), '')
        from placements k
        join owned_entries q on q.id = k.entry and q.form = 'command_output'
        join sources ks on ks.id = q.source
        left join blocks b on b.entry = q.id
        where k.effective_parent = e.id
        order by q.timestamp_ms, ks.path, q.generation, q.offset, b.idx
        limit 1
    ) as output, -- output of the command; NULL if none was recorded
    e.timestamp_ms -- timestamp in milliseconds since the Unix epoch
from (
    select
        x.id,
        coalesce(x.text, (
            select group_concat(piece, char(10))
            from (select b.text as piece from blocks b where b.entry = x.id and b.type = 'text' order by b.idx)
        )) as text
    from owned_entries x
    where x.form in ('slash_command', 'shell_command', 'local_command')
) c
join owned_entries e on e.id = c.id
join session_ids i on i.id = e.session
left join placements w on w.entry = e.id
left join lines l on l.id = w.line
where e.form = 'shell_command' or instr(c.text, '</command-name>') > instr(c.text, '<command-name>')
