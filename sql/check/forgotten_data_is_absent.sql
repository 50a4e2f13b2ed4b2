-- No file and no object of a forgotten session or project is in the index.
select f.kind, f.name
from tombstones f
join session_ids i on i.session_id = f.name
join occurrences o on o.session = i.id
where f.kind = 'session'
union
select f.kind, f.name
from tombstones f
join sources s on s.session_hint = f.name
where f.kind = 'session'
union
select f.kind, f.name
from tombstones f
join sources s on substr(s.path, -length(f.name) - 7) = '/' || f.name || '.jsonl'
where f.kind = 'session' and s.role = 'session'
union
select f.kind, f.name
from tombstones f
join sources s on s.project = f.name
where f.kind = 'project'
union
select f.kind, f.name
from tombstones f
join sources s on s.path = f.name
where f.kind = 'file'
union
select f.kind, f.name
from tombstones f
join records r on r.leaf = f.name
where f.kind = 'leaf'
