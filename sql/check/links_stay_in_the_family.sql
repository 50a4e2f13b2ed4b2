-- Sessions that a link between entries connects are derived together.
select c.uuid, p.uuid as parent_uuid
from edges l
join entries c on c.id = l.child
join occurrences co on co.id = c.occurrence
join sessions cs on cs.session = co.session
join entries p on p.id = l.parent
join occurrences po on po.id = p.occurrence
join sessions ps on ps.session = po.session
where cs.family <> ps.family
