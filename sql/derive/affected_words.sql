-- Whether new entries since a timestamp can change the text that was removed from a session's queue.
-- Such text is shown next to an entry, and only if no entry contains it. All operations of the queue are read only if a
-- new entry has a text.
-- params:  session, timestamp_ms, has_new_text
-- columns: is_affected
select
    case
        when exists (select 1 from queued_words q where q.session = :session and q.timestamp_ms >= :timestamp_ms) then 1
        when :has_new_text then exists (
            select 1
            from occurrences o
            join records r on r.occurrence = o.id
            where o.session = :session
                and o.type = 'queue-operation'
                and o.entry is null
                and (r.payload glob '*"remove"*' or r.payload glob '*"popAll"*')
        )
        else 0
    end
