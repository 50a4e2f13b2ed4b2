-- Content blocks of the given entries, in order, with shortened text. An entry without blocks has its text as a block.
-- params:  entries (JSON array of entry keys), max_chars
-- columns: entry, type, text, tool (of a call, or of the call that a result belongs to), input (of a call), is_error
select entry, type, text, tool, input, is_error
from (
    select
        b.entry,
        b.idx,
        b.type,
        substr(b.text, 1, :max_chars) as text,
        coalesce(u.name, c.name) as tool,
        u.input,
        r.is_error
    from json_each(:entries) j
    cross join blocks b on b.entry = j.value
    join owned_entries e on e.id = b.entry
    left join tool_uses u on u.entry = b.entry and u.idx = b.idx
    left join tool_results r on r.entry = b.entry and r.idx = b.idx
    left join tool_pairs p on p.tool_use_id = r.tool_use_id and p.session = e.session
    left join tool_uses c on c.entry = p.use and c.idx = p.use_idx
    union all
    select e.id, 0, 'text', substr(e.text, 1, :max_chars), null, null, null
    from json_each(:entries) j
    cross join entries e on e.id = j.value
    where e.text <> '' and not exists (select 1 from blocks b where b.entry = e.id)
)
order by entry, idx
