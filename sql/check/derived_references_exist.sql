-- Derived rows refer only to threads, lines and entries that exist.
with refs(table_name, thread, line, entry) as (
    select 'placements', thread, line, entry from placements
    union all
    select 'placements', thread, null, fork from placements where fork is not null
    union all
    select 'lines', thread, parent, first_entry from lines
    union all
    select 'forks', thread, line, entry from forks
    union all
    select 'junctions', thread, target, entry from junctions
    union all
    select 'roots', thread, null, entry from roots
    union all
    select 'parent_repairs', thread, null, child from parent_repairs
    union all
    select 'graph_diagnostics', thread, null, entry from graph_diagnostics
    union all
    select 'paths', null, line, leaf from paths
    union all
    select 'queued_words', null, null, entry from queued_words where entry is not null
)
select r.table_name, r.thread, r.line, r.entry
from refs r
left join threads t on t.id = r.thread
left join lines l on l.id = r.line
left join entries e on e.id = r.entry
where (r.thread is not null and t.id is null)
    or (r.line is not null and l.id is null)
    or e.occurrence is null
