-- Records that refer to entries in the other database.
-- columns: leaf, session (in the database of the record), is_in_shard (1: the record is in the shard)
select r.leaf, o.session, 1 as is_in_shard
from shard.records r
join shard.occurrences o on o.id = r.occurrence
where r.leaf is not null and exists (select 1 from main.entries e where e.uuid = r.leaf)
union
select r.leaf, o.session, 0
from main.records r
join main.occurrences o on o.id = r.occurrence
where r.leaf is not null and exists (select 1 from shard.entries e where e.uuid = r.leaf)
