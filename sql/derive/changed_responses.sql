-- The responses that the entries in temp.changed are parts of.
-- columns: response
select m.response_id
from temp.changed c
cross join messages m on m.entry = c.entry
where m.response_id is not null
union
select i.response_id
from temp.changed c
cross join iterations i on i.entry = c.entry
