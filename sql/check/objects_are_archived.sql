-- The bytes of every object are within the archived bytes of its generation.
select s.path, o.line_no
from occurrences o
join generations g on g.source = o.source and g.number = o.generation
join sources s on s.id = o.source
where o.offset + o.length > g.archived
