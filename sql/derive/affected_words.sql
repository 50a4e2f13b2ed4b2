-- Whether new entries since a timestamp can change the text that was removed from a session's queue: text is shown next
-- to an entry, and only if no entry contains it.
-- params:  session, timestamp_ms, has_new_text
-- columns: is_affected
select
    exists (select 1 from queued_words q where q.session = :session and q.timestamp_ms >= :timestamp_ms)
    or (
        :has_new_text
        and exists (
            select 1
            from occurrences o
            join records r on r.occurrence = o.id
            where o.session = :session
                and o.type = 'queue-operation'
                and o.entry is null
                and (r.payload glob '*"remove"*' or r.payload glob '*"popAll"*')
        )
    )
