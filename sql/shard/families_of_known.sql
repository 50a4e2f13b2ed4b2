-- Sessions of the shard in families that contain sessions that the index already has.
-- params:  sessions (JSON, sessions of the shard that the index already has)
-- columns: session, family (both in the shard)
select s.session, s.family
from shard.sessions s
where s.family in (
    select f.family
    from json_each(:sessions) j
    cross join shard.sessions f on f.session = j.value
    union
    select value
    from json_each(:sessions)
)
