-- Tools by the total size of their results.
-- group: Tools and files
-- Results take up space in the model's context.
select
    p.name,
    count(*) as results,
    sum(b.byte_size) as bytes,
    round(100.0 * sum(b.byte_size) / sum(sum(b.byte_size)) over (), 1) as percent,
    cast(round(avg(b.byte_size)) as integer) as mean_bytes,
    max(b.byte_size) as max_bytes
from v1_tool_pairs p
join v1_blocks b on b.uuid = p.result_uuid and b.tool_use_id = p.tool_use_id
where p.name is not null
group by p.name
order by bytes desc, p.name
limit 20
