-- The responses of iterations that took part in the responses in temp.wanted, which belong where those do.
-- columns: response
select distinct i.response_id
from temp.wanted w
cross join messages m on m.response_id = w.id
cross join iterations i on i.entry = m.entry
