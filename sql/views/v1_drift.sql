create view v1_drift as
-- One row per combination of a Claude Code version and a type or key unknown to this version of ccindex.
select
    kind, -- type, subtype, key, message-key, block, progress or attachment
    name, -- the unknown type or key
    type, -- type of the object in which it occurs
    version, -- version of Claude Code; empty if not recorded
    total as count, -- number of occurrences in all generations of all files
    source_path as first_source_path, -- file that contains the first occurrence
    line_no as first_line_no -- line number of the first occurrence, from 1
from (
    select
        d.kind,
        d.name,
        d.type,
        d.version,
        sum(d.count) over per_name as total,
        s.path as source_path,
        d.line_no,
        row_number() over (per_name order by s.path, d.generation, d.offset) as rank
    from drift d
    join sources s on s.id = d.source
    window per_name as (partition by d.kind, d.name, d.type, d.version)
)
where rank = 1
