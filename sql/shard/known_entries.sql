-- Entries of the shard that the index already has.
-- columns: id (in the shard), known (id in the index), has_owner (in the shard), is_ghost (in the index)
select s.id, m.id as known, s.occurrence is not null as has_owner, m.occurrence is null as is_ghost
from shard.entries s
cross join main.entries m on m.uuid = s.uuid
