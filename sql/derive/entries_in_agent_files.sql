-- Entries with copies in a given agent file and in at least one other agent file.
-- Their owners can change, because copies in agent files with more entries are preferred.
-- params:  sources (JSON)
-- columns: entry
select distinct o.entry
from json_each(:sources) j
cross join sources s on s.id = j.value and s.role = 'agent'
cross join occurrences o on o.source = s.id
where o.entry is not null
    and o.has_copies = 1
    and exists (
        select 1
        from occurrences x
        join sources b on b.id = x.source and b.role = 'agent'
        where x.entry = o.entry and x.source <> o.source
    )
