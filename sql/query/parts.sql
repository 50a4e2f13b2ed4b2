-- What an entry consists of, the beginning of each text; its own text if it has no content blocks.
-- params:  entry, most (characters)
-- columns: type, text, tool (of a call, or of the call that a result answers), input (of a call), is_error
select type, text, tool, input, is_error
from (
    select
        b.idx,
        b.type,
        substr(b.text, 1, :most) as text,
        coalesce(u.name, c.name) as tool,
        u.input,
        r.is_error
    from blocks b
    join owned_entries e on e.id = b.entry
    left join tool_uses u on u.entry = b.entry and u.idx = b.idx
    left join tool_results r on r.entry = b.entry and r.idx = b.idx
    left join tool_pairs p on p.tool_use_id = r.tool_use_id and p.session = e.session
    left join tool_uses c on c.entry = p.use and c.idx = p.use_idx
    where b.entry = :entry
    union all
    select 0, 'text', substr(e.text, 1, :most), null, null, null
    from entries e
    where e.id = :entry and e.text <> '' and not exists (select 1 from blocks b where b.entry = e.id)
)
order by idx
