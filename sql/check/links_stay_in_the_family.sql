-- Sessions with an edge between their entries belong to the same family.
select c.uuid, p.uuid as parent_uuid
from edges l
join owned_entries c on c.id = l.child
join sessions cs on cs.session = c.session
join owned_entries p on p.id = l.parent
join sessions ps on ps.session = p.session
where cs.family <> ps.family
