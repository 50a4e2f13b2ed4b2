create view v1_sessions as
-- One row per session id recorded with an entry, including sessions that have only copies of entries.
select
    i.session_id, -- id of the session
    x.project, -- project of its earliest entry
    coalesce(
        c.cwd,
        (
            select d.cwd
            from owned_entries e
            join entry_contexts d on d.id = e.context
            join sources b on b.id = e.source
            where e.session = x.session and d.cwd is not null
            order by e.timestamp_ms, b.path, e.generation, e.offset
            limit 1
        )
    ) as cwd, -- working directory of its earliest entry that has one
    x.title, -- title given by the user, else by Claude Code, else a summary
    coalesce(x.first_prompt_text, nullif((
        select group_concat(piece, char(10))
        from (
            select b.text as piece
            from blocks b
            where b.entry = x.first_prompt and b.type = 'text'
            order by b.idx
        )
    ), '')) as first_prompt, -- first text that a person typed, excluding commands and context added by an editor
    pi.session_id as parent_session_id, -- session that this one continues or forks from
    a.uuid as attachment_uuid, -- entry in the parent session from which this session starts
    x.relation, -- root, continues (starts at the end of a line) or forks (starts before the end)
    (select o.timestamp from owned_entries o where o.id = x.first_entry) as first_timestamp, -- recorded timestamp of its earliest entry
    (select o.timestamp from owned_entries o where o.id = x.last_entry) as last_timestamp, -- recorded timestamp of its latest entry
    x.entry_count, -- number of entries that the session owns
    x.line_count, -- number of lines
    x.branch_count, -- number of branches
    x.agent_count, -- number of subagents, including subagents without a transcript
    x.compaction_count, -- number of compactions
    x.model_names, -- models used, sorted and separated by commas
    (
        select case
            when total(u.responses) = 0 or total(u.priced_responses) > 0 then total(u.cost_nanousd) / 1e9
        end
        from usage_totals u
        where u.session = x.session
    ) as est_cost_usd, -- estimated cost in US dollars; 0 if there are no responses, NULL if no response has a known price
    x.first_timestamp_ms, -- time of its earliest entry in milliseconds since the Unix epoch
    x.last_timestamp_ms, -- time of its latest entry in milliseconds since the Unix epoch
    x.worktree, -- path of its git worktree, or its name if no path was recorded, from the last worktree-state record; NULL if the session is not in a worktree
    x.relocated_from, -- working directory before the last recorded move; NULL if the session was not moved or the directory is unknown
    x.relocated_to, -- working directory after that move
    x.teleported_from -- id of the remote session that this one was fetched from
from sessions x
join session_ids i on i.id = x.session
left join session_ids pi on pi.id = x.parent
left join entries a on a.id = x.attachment
left join entries f on f.id = x.first_entry
left join entry_contexts c on c.id = f.context
