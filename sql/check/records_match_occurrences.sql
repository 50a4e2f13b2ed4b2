-- Every occurrence without a uuid has one record, and every record has such an occurrence.
select o.id
from occurrences o
left join records r on r.occurrence = o.id
where (o.entry is null) <> (r.occurrence is not null)
union all
select r.occurrence
from records r
left join occurrences o on o.id = r.occurrence
where o.id is null
