-- The given sessions as they were last derived.
-- params:  sessions (JSON)
-- columns: the fields of store.line_ends.DerivedSession
select s.session, s.family, s.first_entry is not null, s.first_prompt is not null, s.first_prompt_text
from json_each(:sessions) j
cross join sessions s on s.session = j.value
