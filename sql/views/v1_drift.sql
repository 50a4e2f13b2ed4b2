create view v1_drift as
-- One row per type or key that this version of ccindex does not know, by version of Claude Code.
select
    kind, -- type, subtype, key, message-key, block, progress, attachment
    name,
    type, -- of the line
    version, -- of Claude Code; '' if the line has none
    total as count, -- how often, in all generations
    source_path as first_source_path,
    line_no as first_line_no
from (
    select
        d.kind,
        d.name,
        d.type,
        d.version,
        sum(d.count) over same as total,
        s.path as source_path,
        d.line_no,
        row_number() over (same order by s.path, d.generation, d.offset) as place
    from drift d
    join sources s on s.id = d.source
    window same as (partition by d.kind, d.name, d.type, d.version)
)
where place = 1
