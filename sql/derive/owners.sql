-- New owners among the copies of some entries, by the total order of ownership; entries that keep theirs are left out.
-- params:  entries (JSON)
-- columns: entry, occurrence, hash, has_other_content, source, generation, offset, length
with candidates as materialized (
    select o.entry, o.id, o.session, o.source, o.generation, o.offset, o.length, o.hash, o.is_current, o.has_parent
    from json_each(:entries) j
    cross join occurrences o on o.entry = j.value -- cross: the entries first, because there are few
),
-- agent files only: whether one of Claude Code's own helper agents wrote it, and how many objects with a uuid it holds
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
        k.offset,
        k.length,
        row_number() over (
            partition by k.entry
            order by
                k.is_current desc,
                r.first_at,
                r.first_own_at is null,
                r.first_own_at,
                i.session_id,
                k.has_parent desc,
                a.source is not null,
                a.is_helper,
                a.size desc,
                s.path,
                k.generation,
                k.offset
        ) as place
    from candidates k
    join session_ids i on i.id = k.session
    join sources s on s.id = k.source
    left join session_ranks r on r.session = k.session
    left join agent_files a on a.source = k.source
)
select w.entry, w.id, w.hash, e.hash is not w.hash as has_other_content, w.source, w.generation, w.offset, w.length
from ranked w
join entries e on e.id = w.entry
where w.place = 1 and (e.occurrence is not w.id or e.hash is not w.hash)
order by w.source, w.generation, w.offset
