-- Every occurrence with a uuid has an entry with an owner.
select s.path, o.line_no
from occurrences o
join sources s on s.id = o.source
left join entries e on e.id = o.entry
where o.entry is not null and e.occurrence is null
