-- Entries with copies in several agent files, one of them in temp.resized: the file with the most objects owns them.
-- columns: entry
select o.entry
from temp.resized z
cross join sources s on s.id = z.source and s.role = 'agent'
cross join occurrences o on o.source = s.id
where o.entry is not null
    and o.has_copies = 1
    and exists (
        select 1
        from occurrences x
        join sources b on b.id = x.source and b.role = 'agent'
        where x.entry = o.entry and x.source <> o.source
    )
