-- Occurrences of the given entries: all of them, preferred owners first, or only the new owners, in archive order.
-- rule: owner_order
-- params:  entries (JSON),
-- params:  is_all (0: only preferred owners that are not yet the owner, or whose content is not yet the entry's)
-- columns: entry, occurrence, hash, has_other_content (other than the entry's), source, generation, offset, length,
-- columns: is_owner, is_current, session_first_at, session_first_own_at, session_id, has_parent, is_agent_file,
-- columns: is_helper_file, agent_file_entries (both NULL unless it is an agent file), source_path, line_no
with candidates as materialized (
    select
        o.entry,
        o.id,
        o.session,
        o.source,
        o.generation,
        o.line_no,
        o.offset,
        o.length,
        o.hash,
        o.is_current,
        o.is_owner,
        o.has_parent
    from json_each(:entries) j
    cross join occurrences o on o.entry = j.value -- cross: start with the entries, which are few
),
-- per agent file: whether one of Claude Code's helper agents wrote it, and its number of current objects with a uuid
agent_files(source, is_helper, size) as materialized (
    select
        s.id,
        s.agent_id glob 'acompact-*' or s.agent_id glob 'aprompt_suggestion-*' or s.agent_id glob 'aside_question-*',
        (
            select count(*)
            from occurrences x
            where x.source = s.id and x.entry is not null and x.is_current = 1
        )
    from (select distinct source from candidates) d
    cross join sources s on s.id = d.source
    where s.role = 'agent'
),
ranked as (
    select
        k.entry,
        k.id,
        k.hash,
        k.source,
        k.generation,
        k.line_no,
        k.offset,
        k.length,
        k.is_owner,
        k.is_current,
        r.first_timestamp_ms,
        r.first_own_timestamp_ms,
        i.session_id,
        k.has_parent,
        a.source is not null as is_agent_file,
        a.is_helper,
        a.size,
        s.path,
        row_number() over (
            partition by k.entry
            order by
                k.is_current desc,
                r.first_timestamp_ms,
                r.first_own_timestamp_ms is null,
                r.first_own_timestamp_ms,
                i.session_id,
                k.has_parent desc,
                a.source is not null,
                a.is_helper,
                a.size desc,
                s.path,
                k.generation,
                k.offset
        ) as rank
    from candidates k
    join session_ids i on i.id = k.session
    join sources s on s.id = k.source
    left join session_ranks r on r.session = k.session
    left join agent_files a on a.source = k.source
)
select
    w.entry,
    w.id,
    w.hash,
    e.hash is not w.hash as has_other_content,
    w.source,
    w.generation,
    w.offset,
    w.length,
    w.is_owner,
    w.is_current,
    w.first_timestamp_ms,
    w.first_own_timestamp_ms,
    w.session_id,
    w.has_parent,
    w.is_agent_file,
    w.is_helper,
    w.size,
    w.path,
    w.line_no
from ranked w
join entries e on e.id = w.entry
where :is_all or (w.rank = 1 and (e.occurrence is not w.id or e.hash is not w.hash))
order by iif(:is_all, w.rank, 0), w.source, w.generation, w.offset
