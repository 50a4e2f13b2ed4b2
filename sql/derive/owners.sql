-- For each entry in temp.contested the occurrence that owns it, by the total order of ownership.
-- columns: entry, occurrence, hash, source, generation, offset, length
with candidates as materialized (
    select o.entry, o.id, o.session, o.source, o.generation, o.offset, o.length, o.hash, o.is_current, o.has_parent
    from temp.contested c
    cross join occurrences o on o.entry = c.entry -- cross: in this order, the few entries first
),
-- of agent files alone: whether a helper of Claude Code itself wrote it, and how many objects with a uuid it holds
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
select entry, id, hash, source, generation, offset, length
from ranked
where place = 1
order by source, generation, offset
