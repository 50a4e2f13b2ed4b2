-- The extents of every generation cover its archived bytes without gaps.
select s.path, g.number
from generations g
join sources s on s.id = g.source
left join (
    select
        source,
        generation,
        sum(length) as total,
        sum(start <> expected) as gaps
    from (
        select
            source,
            generation,
            start,
            length,
            coalesce(sum(length) over (
                partition by source, generation
                order by start
                rows between unbounded preceding and 1 preceding
            ), 0) as expected
        from extents
    )
    group by source, generation
) x on x.source = g.source and x.generation = g.number
where coalesce(x.total, 0) <> g.archived or coalesce(x.gaps, 0) > 0
