-- What was derived speaks of threads, lines and entries that there are.
with spoken(what, thread, line, entry) as (
    select 'places', thread, line, entry from places
    union all
    select 'places', thread, null, fork from places where fork is not null
    union all
    select 'lines', thread, parent, first_entry from lines
    union all
    select 'forks', thread, line, entry from forks
    union all
    select 'junctions', thread, target, entry from junctions
    union all
    select 'roots', thread, null, entry from roots
    union all
    select 'repairs', thread, null, child from repairs
    union all
    select 'findings', thread, null, entry from findings
    union all
    select 'paths', null, line, leaf from paths
    union all
    select 'queued_words', null, null, entry from queued_words where entry is not null
)
select s.what, s.thread, s.line, s.entry
from spoken s
left join threads t on t.id = s.thread
left join lines l on l.id = s.line
left join entries e on e.id = s.entry
where (s.thread is not null and t.id is null)
    or (s.line is not null and l.id is null)
    or e.occurrence is null
