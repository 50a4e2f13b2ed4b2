-- Responses that both the shard and the index contain, and the responses of entries whose content is not copied.
-- params:  known (JSON, entries of the shard that the index already has)
-- columns: response_id
select s.response_id
from shard.responses s
cross join main.responses m on m.response_id = s.response_id
union
select m.response_id
from json_each(:known) j
cross join shard.messages m on m.entry = j.value
where m.response_id is not null
union
select i.response_id
from json_each(:known) j
cross join shard.iterations i on i.entry = j.value
