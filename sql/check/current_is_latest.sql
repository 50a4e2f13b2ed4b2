-- An occurrence is current if and only if it stands in its file's latest generation.
select s.path, o.generation, o.line_no
from occurrences o
join sources s on s.id = o.source
where o.is_current <> (o.generation = s.generation)
