-- The responses that the given entries belong to, the given responses, and the iterations of all of them.
-- params:  entries (JSON), responses (JSON, encoded ids)
-- columns: response_id
with changed(response_id) as materialized (
    select m.response_id
    from json_each(:entries) j
    cross join messages m on m.entry = j.value
    where m.response_id is not null
    union
    select i.response_id
    from json_each(:entries) j
    cross join iterations i on i.entry = j.value
    union
    select replace(replace(value, '\0', char(0)), '\1', '\')
    from json_each(:responses)
)
select response_id
from changed
union
select i.response_id
from changed c
cross join messages m on m.response_id = c.response_id
cross join iterations i on i.entry = m.entry
