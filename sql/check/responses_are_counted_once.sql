-- Every message that is part of a response is counted in one, and a response belongs to one of its parts.
-- Every iteration of another model is a response of its own and belongs to the entry of the response around it.
with parts(response, count) as (
    select response, count(*)
    from messages
    where response is not null
    group by response
),
iterated(response, parent, count) as (
    select i.response, min(m.response), count(*)
    from iterations i
    left join messages m on m.entry = i.entry
    where i.response not in (select response from parts)
    group by i.response
)
select 'not counted', p.response
from parts p
left join responses r on r.response = p.response
where r.entry_count is not p.count or r.parent is not null
union all
select 'iteration not counted', p.response
from iterated p
left join responses r on r.response = p.response
where r.entry_count is not p.count or r.parent is not p.parent or r.parent is null
union all
select 'no part', r.response
from responses r
left join messages m on m.entry = r.entry and m.response = coalesce(r.parent, r.response)
where m.entry is null
union all
select 'no iteration', r.response
from responses r
left join iterated p on p.response = r.response
where r.parent is not null and p.response is null
union all
select 'not with its parent', r.response
from responses r
left join responses p on p.response = r.parent
where r.parent is not null and p.entry is not r.entry
union all
select 'elsewhere', r.response
from responses r
join entries e on e.id = r.entry
join occurrences o on o.id = e.occurrence
where o.session <> r.session or o.at <> r.at
