-- The given sessions that have queue operations, or queued text from an earlier derivation.
-- params:  sessions (JSON)
-- columns: session
select j.value as session
from json_each(:sessions) j
where exists (select 1 from occurrences o where o.session = j.value and o.type = 'queue-operation' and o.entry is null)
    or exists (select 1 from queued_words q where q.session = j.value)
