-- Number of removed entries per session, and number of entries that are kept because another session has a copy.
-- params:  lost (JSON), kept (JSON), sessions (JSON, forgotten)
-- columns: session_id, removed, kept
with affected(entry, is_lost) as (
    select value, 1
    from json_each(:lost)
    union all
    select value, 0
    from json_each(:kept)
)
select
    i.session_id,
    sum(x.is_lost) as removed,
    sum(not x.is_lost and i.id in (select value from json_each(:sessions))) as kept
from affected x
join owned_entries e on e.id = x.entry
join session_ids i on i.id = e.session
group by i.session_id
having removed or kept
order by i.session_id
