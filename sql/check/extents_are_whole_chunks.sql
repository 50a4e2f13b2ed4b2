-- Every extent is exactly as long as its chunk.
select s.path, e.start
from extents e
join sources s on s.id = e.source
left join chunks c on c.id = e.chunk
where c.id is null or c.raw_size <> e.length
