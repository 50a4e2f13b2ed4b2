-- Whatever has words is in the full-text index, and nothing else is.
select 'no entry', d.id
from search_docsize d
left join entries e on e.id = d.id
where e.occurrence is null
union all
select 'not found', e.id
from entries e
left join search_docsize d on d.id = e.id
where d.id is null
    and e.occurrence is not null
    and (
        e.text <> ''
        or exists (select 1 from blocks b where b.entry = e.id and b.text <> '')
    )
