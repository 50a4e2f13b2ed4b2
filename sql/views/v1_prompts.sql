create view v1_prompts as
-- One row per text that a person typed to a session, commands left out: prompts, queued commands and queued words.
select
    e.uuid, -- NULL: queued words that no entry holds; source_path and line_no identify them
    i.session_id,
    l.line_id, -- NULL: it was set aside
    case e.kind when 'prompt' then 'prompt' else 'queued_command' end as kind, -- prompt, queued_command, queued_words
    e.timestamp,
    e.timestamp_ms,
    s.project,
    nullif(coalesce(e.text, (
        select group_concat(words, char(10))
        from (select b.text as words from blocks b where b.entry = e.id and b.type = 'text' order by b.idx)
    )), '') as text,
    s.path as source_path,
    e.line_no
from owned_entries e
join session_ids i on i.id = e.session
join sources s on s.id = e.source
join placements w on w.entry = e.id
join threads t on t.id = w.thread and t.agent_id is null
left join lines l on l.id = w.line
where e.is_typed = 1 and e.is_command = 0
union all
select null, session_id, line_id, 'queued_words', timestamp, timestamp_ms, project, text, source_path, line_no
from v1_queued_words
