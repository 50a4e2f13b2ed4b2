-- Who holds the calls in temp.wanted, and who answers them: at least those of the sessions in temp.family.
-- Where ids are repeated all over the index, only the family is looked at, so that all families take linear time.
-- columns: tool_use_id, entry, is_answer
with few(is_few) as materialized (
    select count(*) < 20000
    from (
        select 1
        from temp.wanted w
        cross join tool_results r on r.tool_use_id = w.id
        union all
        select 1
        from temp.wanted w
        cross join tool_uses u on u.tool_use_id = w.id
        limit 20000
    )
)
select r.tool_use_id, r.entry, 1 as is_answer
from temp.wanted w
cross join tool_results r on r.tool_use_id = w.id
where (select is_few from few)
union
select u.tool_use_id, u.entry, 0
from temp.wanted w
cross join tool_uses u on u.tool_use_id = w.id
where (select is_few from few)
union
select r.tool_use_id, r.entry, 1
from temp.family f
cross join occurrences o on o.session = f.session and o.is_owner = 1
cross join tool_results r on r.entry = o.entry
where not (select is_few from few) and r.tool_use_id in (select id from temp.wanted)
union
select u.tool_use_id, u.entry, 0
from temp.family f
cross join occurrences o on o.session = f.session and o.is_owner = 1
cross join tool_uses u on u.entry = o.entry
where not (select is_few from few) and u.tool_use_id in (select id from temp.wanted)
