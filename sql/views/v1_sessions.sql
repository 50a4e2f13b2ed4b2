create view v1_sessions as
-- One row per session id that an occurrence with a uuid claims, copies too.
select
    i.session_id,
    x.project, -- of its earliest entry
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
    ) as cwd, -- of its earliest entry that has one
    x.title, -- given by the user, else made by Claude Code, else a summary
    coalesce(x.first_words, nullif((
        select group_concat(words, char(10))
        from (
            select b.text as words
            from blocks b
            where b.entry = x.first_prompt and b.type = 'text'
            order by b.idx
        )
    ), '')) as first_prompt, -- the first words a person typed, commands and an editor's context left out
    pi.session_id as parent_session_id,
    a.uuid as attachment_uuid, -- the parent session's entry it goes on from
    x.relation, -- root; continues: from the end of a line; forks: from before it
    f.timestamp as first_timestamp,
    z.timestamp as last_timestamp,
    x.entry_count, -- that it owns
    x.line_count,
    x.branch_count,
    x.agent_count, -- subagents, those without a transcript too
    x.compaction_count,
    x.model_names, -- sorted, comma-separated
    (
        select case
            when total(u.responses) = 0 or total(u.priced) > 0 then total(u.cost_nanousd) / 1e9
        end
        from usage_totals u
        where u.session = x.session
    ) as est_cost_usd, -- of its responses, 0 if it has none; NULL: no model of them has a price
    x.first_at as first_timestamp_ms,
    x.last_at as last_timestamp_ms,
    x.worktree, -- path of the git worktree it is in, by its last worktree-state record; NULL: none, or it left it
    x.relocated_from, -- working directory before the last recorded move; NULL: not moved, or not known
    x.relocated_to, -- working directory after that move
    x.teleported_from -- id of the remote session it was fetched from
from sessions x
join session_ids i on i.id = x.session
left join session_ids pi on pi.id = x.parent
left join entries a on a.id = x.attachment
left join entries f on f.id = x.first_entry
left join entry_contexts c on c.id = f.context
left join entries z on z.id = x.last_entry
