-- Times and usage totals of the path that ends at the given entry, excluding subagents. Each response counts once.
-- params:  leaf_uuid
-- columns: project, first_at, last_at, calls, responses, output_tokens, cost
with recursive up(line, last_position) as (
    select p.line, l.entry_count - 1
    from entries e
    join paths p on p.leaf = e.id
    join lines l on l.id = p.line
    where e.uuid = :leaf_uuid
    union all
    select l.parent, l.parent_position
    from up u
    join lines l on l.id = u.line
    where l.parent is not null
),
path_entries(entry, timestamp_ms) as (
    select p.entry, e.timestamp_ms
    from up u
    cross join placements p on p.line = u.line and p.position <= u.last_position
    join owned_entries e on e.id = p.entry
),
path_responses(response_id) as (
    select m.response_id
    from path_entries h
    cross join messages m on m.entry = h.entry
    where m.response_id is not null and not m.is_wrapped
    union
    select i.response_id
    from path_entries h
    cross join messages m on m.entry = h.entry
    cross join iterations i on i.entry = h.entry
    where not m.is_wrapped
)
select
    (
        select s.project
        from owned_entries e
        join sources s on s.id = e.source
        where e.uuid = :leaf_uuid
    ),
    (select min(nullif(timestamp_ms, 0)) from path_entries),
    (select max(timestamp_ms) from path_entries),
    (select count(*) from path_entries h cross join tool_uses u on u.entry = h.entry),
    count(*),
    cast(total(r.output_tokens) as integer),
    case when count(*) = 0 or count(r.cost_nanousd) > 0 then total(r.cost_nanousd) / 1e9 end
from path_responses a
join responses r on r.response_id = a.response_id
