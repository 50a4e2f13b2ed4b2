-- The texts of a session's prompts, queued commands and local commands.
-- params:  session
-- columns: text, timestamp_ms, is_prompt
select
    coalesce(e.text, (
        select group_concat(block_text, char(10))
        from (select b.text as block_text from blocks b where b.entry = e.id and b.type = 'text' order by b.idx)
    )) as text,
    e.timestamp_ms,
    e.kind = 'prompt' as is_prompt
from owned_entries e
where e.session = :session
    and (e.kind = 'prompt' or e.subtype in ('queued_command', 'local_command'))
