-- Sidecars that describe sessions, subagents or calls in the other database.
-- columns: source (in the database of the sidecar), is_in_shard (1: the sidecar is in the shard)
select k.source, 1 as is_in_shard
from shard.sidecars k
join shard.sources s on s.id = k.source
where exists (select 1 from main.session_ids i where i.session_id = s.session_hint)
    or exists (select 1 from main.tool_pairs p where p.tool_use_id = k.tool_use_id)
    or exists (
        select 1
        from main.sources a
        where a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
    )
union
select k.source, 0
from main.sidecars k
join main.sources s on s.id = k.source
where exists (select 1 from shard.session_ids i where i.session_id = s.session_hint)
    or exists (select 1 from shard.tool_pairs p where p.tool_use_id = k.tool_use_id)
    or exists (
        select 1
        from shard.sources a
        where a.path = substr(s.path, 1, length(s.path) - length('.meta.json')) || '.jsonl'
    )
