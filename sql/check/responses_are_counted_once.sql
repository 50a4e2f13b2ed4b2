-- Every message that is part of a response is counted in one, and a response belongs to one of its parts.
with parts(response, count) as (
    select response, count(*)
    from messages
    where response is not null
    group by response
)
select 'not counted', p.response
from parts p
left join responses r on r.response = p.response
where r.entry_count is not p.count
union all
select 'no part', r.response
from responses r
left join messages m on m.entry = r.entry and m.response = r.response
where m.entry is null
union all
select 'elsewhere', r.response
from responses r
join entries e on e.id = r.entry
join occurrences o on o.id = e.occurrence
where o.session <> r.session or o.at <> r.at
