-- Every entry with text, and all queued text, is in the full-text index, and nothing else is.
-- Long text is divided among several rows, see ROWID_STEP in ccindex/store/create.py.
select 'no entry', d.id
from entries_fts_docsize d
left join entries e on e.id = d.id % 1099511627776
where e.occurrence is null and d.id > 0
union all
select 'no queued text', d.id
from entries_fts_docsize d
left join queued_words q on q.occurrence = -(d.id % 1099511627776)
where d.id < 0 and q.occurrence is null
union all
select 'not found', -q.occurrence
from queued_words q
left join entries_fts_docsize d on d.id = -q.occurrence
where d.id is null
union all
select 'not found', e.id
from entries e
left join entries_fts_docsize d on d.id = e.id
where d.id is null
    and e.occurrence is not null
    and (
        e.text <> ''
        or exists (select 1 from blocks b where b.entry = e.id and b.text <> '')
    )
