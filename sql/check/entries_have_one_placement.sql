-- Every entry has one placement: a position on a line, or a reason for being set aside.
select e.uuid
from entries e
left join placements p on p.entry = e.id
where (e.occurrence is not null) <> (p.entry is not null)
union all
select 'entry ' || p.entry
from placements p
left join entries e on e.id = p.entry
where e.id is null
