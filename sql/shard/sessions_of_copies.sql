-- Sessions of the shard that contain entries that the index already has.
-- params:  known (JSON, entries of the shard that the index already has)
-- columns: session (in the shard)
select distinct o.session
from json_each(:known) j
cross join shard.occurrences o on o.entry = j.value
