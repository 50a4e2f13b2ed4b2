-- An occurrence is current if and only if it is in the latest generation of its file.
select s.path, o.generation, o.line_no
from occurrences o
join sources s on s.id = o.source
where o.is_current <> (o.generation = s.generation)
