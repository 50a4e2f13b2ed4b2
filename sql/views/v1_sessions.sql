create view v1_sessions as
-- One row per session id that an occurrence with a uuid claims, copies too.
select
    i.session_id,
    x.project, -- of its earliest entry
    coalesce(
        c.cwd,
        (
            select d.cwd
            from occurrences o
            join entries e on e.id = o.entry and e.occurrence = o.id
            join contexts d on d.id = e.context
            join sources b on b.id = o.source
            where o.session = x.session and d.cwd is not null
            order by o.at, b.path, o.generation, o.offset
            limit 1
        )
    ) as cwd, -- of its earliest entry that has one
    x.title, -- given by the user, else made by Claude Code, else a summary
    (
        /* part 1: the first prompt; part 2: the words typed next, if that has an image */
        with recursive rest(part, words, step) as (
            select 1, ltrim(group_concat(words, char(10)), char(9, 10, 13, 32)), 0
            from (
                select b.text as words
                from blocks b
                where b.entry = x.first_prompt and b.type = 'text'
                order by b.idx
            )
            union all
            select 2, (
                select coalesce(n.text, (
                    select group_concat(words, char(10))
                    from (select b.text as words from blocks b where b.entry = n.id and b.type = 'text' order by b.idx)
                ))
                from occurrences no
                join entries n on n.id = no.entry
                join sources ns on ns.id = no.source
                join places w on w.entry = n.id
                join threads t on t.id = w.thread and t.agent_id is null
                where no.session = x.session
                    and no.is_owner = 1
                    and n.is_typed = 1
                    and n.is_command = 0
                    and (no.at, ns.path, no.generation, no.offset) > (
                        select o.at, s.path, o.generation, o.offset
                        from entries e
                        join occurrences o on o.id = e.occurrence
                        join sources s on s.id = o.source
                        where e.id = x.first_prompt
                    )
                    and (
                        n.text <> ''
                        or exists (select 1 from blocks b where b.entry = n.id and b.type = 'text' and b.text <> '')
                    )
                order by no.at, ns.path, no.generation, no.offset
                limit 1
            ), 0
            where exists (select 1 from blocks b where b.entry = x.first_prompt and b.type = 'image')
            union all
            /* without an editor's block at the beginning: <ide_opened_file>…</ide_opened_file> */
            select
                part,
                ltrim(substr(
                    words,
                    instr(words, '</' || substr(words, 2, instr(words, '>') - 1)) + instr(words, '>') + 1
                ), char(9, 10, 13, 32)),
                step + 1
            from rest
            where words glob '<ide_[a-z]*>*' and instr(words, '</' || substr(words, 2, instr(words, '>') - 1)) > 0
        )
        select coalesce(
            nullif(max(case part when 1 then words end), ''),
            case when count(*) = 2 then rtrim('(image) ' || coalesce(max(case part when 2 then words end), '')) end
        )
        from (select part, words, max(step) from rest group by part)
    ) as first_prompt, -- the first words a person typed, commands and an editor's context left out
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
            when total(u.responses) = 0 or total(u.priced) > 0 then (total(u.dollars) * 1e9 + total(u.billionths)) / 1e9
        end
        from usage u
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
left join contexts c on c.id = f.context
left join entries z on z.id = x.last_entry
