-- Every tool_use id has exactly one pair in every session that contains it, and a pair refers only to its blocks.
with recorded(tool_use_id, session) as (
    select u.tool_use_id, e.session
    from tool_uses u
    join owned_entries e on e.id = u.entry
    where u.tool_use_id is not null
    union
    select r.tool_use_id, e.session
    from tool_results r
    join owned_entries e on e.id = r.entry
    where r.tool_use_id is not null
)
select 'no pair', s.tool_use_id, s.session
from recorded s
left join tool_pairs p on p.tool_use_id = s.tool_use_id and p.session = s.session
where p.session is null
union all
select 'no call', p.tool_use_id, p.session
from tool_pairs p
left join recorded s on s.tool_use_id = p.tool_use_id and s.session = p.session
where s.session is null
union all
select 'another call', p.tool_use_id, p.session
from tool_pairs p
left join tool_uses u on u.entry = p.use and u.idx = p.use_idx
where p.use is not null and u.tool_use_id is not p.tool_use_id
union all
select 'another result', p.tool_use_id, p.session
from tool_pairs p
left join tool_results r on r.entry = p.result and r.idx = p.result_idx
where p.result is not null and r.tool_use_id is not p.tool_use_id
