-- The queue operations of the given sessions in which queued text was removed, in time order, without duplicates.
-- params:  sessions (JSON)
-- columns: session, occurrence, operation, timestamp_ms, payload, is_current, path, generation, offset
select session, occurrence, operation, timestamp_ms, payload, is_current, path, generation, offset
from (
    select
        o.session,
        o.id as occurrence,
        json_extract(r.payload, '$.operation') as operation,
        o.timestamp_ms,
        r.payload,
        o.is_current,
        s.path,
        o.generation,
        o.offset,
        -- a rewritten or copied file repeats operations
        row_number() over (
            partition by o.session, o.timestamp_ms, r.payload
            order by o.is_current desc, s.path, o.generation desc, o.offset
        ) as rank
    from json_each(:sessions) f
    cross join occurrences o on o.session = f.value and o.type = 'queue-operation' and o.entry is null
    join records r on r.occurrence = o.id and json_valid(r.payload)
    join sources s on s.id = o.source
    where exists (
        select 1
        from occurrences x
        join records y on y.occurrence = x.id
        where x.session = f.value
            and x.type = 'queue-operation'
            and x.entry is null
            and (y.payload glob '*"remove"*' or y.payload glob '*"popAll"*')
    )
)
where rank = 1 and typeof(operation) = 'text'
order by session, timestamp_ms, path, generation, offset
