create view v1_prompts as
-- One row per text that a person typed: a prompt, a queued command or queued text.
-- Slash commands, shell commands and memory notes are excluded.
select
    e.uuid, -- uuid of the entry; NULL for queued text, which is identified by source_path and line_no
    i.session_id, -- session that the text belongs to
    l.line_id, -- line on which the text is shown; NULL if the text was set aside or the session has no line
    case e.kind when 'prompt' then 'prompt' else 'queued_command' end as kind, -- prompt, queued_command or queued_words
    e.timestamp, -- timestamp as recorded
    e.timestamp_ms, -- timestamp in milliseconds since the Unix epoch
    s.project, -- name of the project folder
    nullif(coalesce(e.text, (
        select group_concat(piece, char(10))
        from (select b.text as piece from blocks b where b.entry = e.id and b.type = 'text' order by b.idx)
    )), '') as text, -- text as typed
    s.path as source_path, -- file that contains the text
    e.line_no -- line number in that file, from 1
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
