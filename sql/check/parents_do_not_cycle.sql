-- Following effective parents from any entry leads to an entry without a parent.
with recursive reached(entry) as (
    select entry from placements where effective_parent is null
    union all
    select p.entry
    from reached r
    join placements p on p.effective_parent = r.entry
)
select e.uuid
from placements p
join entries e on e.id = p.entry
left join reached r on r.entry = p.entry
where r.entry is null
