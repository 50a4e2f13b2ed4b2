-- Every message belongs to exactly one response, and every response belongs to the entry of one of its messages.
-- An iteration by another model is a response of its own and belongs to the entry of its parent response.
with parts(response_id, count) as (
    select response_id, count(*)
    from messages
    where response_id is not null
    group by response_id
),
iterated(response_id, parent, count) as (
    select i.response_id, min(m.response_id), count(*)
    from iterations i
    left join messages m on m.entry = i.entry
    where i.response_id not in (select response_id from parts)
    group by i.response_id
)
select 'not counted', p.response_id
from parts p
left join responses r on r.response_id = p.response_id
where r.entry_count is not p.count or r.parent is not null
union all
select 'iteration not counted', p.response_id
from iterated p
left join responses r on r.response_id = p.response_id
where r.entry_count is not p.count or r.parent is not p.parent or r.parent is null
union all
select 'no part', r.response_id
from responses r
left join messages m on m.entry = r.entry and m.response_id = coalesce(r.parent, r.response_id)
where m.entry is null
union all
select 'no iteration', r.response_id
from responses r
left join iterated p on p.response_id = r.response_id
where r.parent is not null and p.response_id is null
union all
select 'not with its parent', r.response_id
from responses r
left join responses p on p.response_id = r.parent
where r.parent is not null and p.entry is not r.entry
union all
select 'differs from its entry', r.response_id
from responses r
join owned_entries e on e.id = r.entry
where e.session <> r.session or e.timestamp_ms <> r.timestamp_ms
