-- All copies of an entry in the order in which they come to own it, with what that order goes by.
-- params:  uuid
-- columns: is_owner, is_current, session_first_at, session_first_own_at, session_id, has_parent, is_agent_file,
-- columns: source_path, generation, byte_offset, line_no, same_bytes
select
    o.is_owner,
    o.is_current,
    r.first_at,
    r.first_own_at,
    i.session_id,
    o.has_parent,
    s.role = 'agent' as is_agent_file,
    s.path,
    o.generation,
    o.offset,
    o.line_no,
    o.hash = e.hash as same_bytes
from entries e
join occurrences o on o.entry = e.id
join session_ids i on i.id = o.session
join sources s on s.id = o.source
left join ranks r on r.session = o.session
where e.uuid = :uuid
order by
    o.is_current desc,
    r.first_at,
    r.first_own_at is null,
    r.first_own_at,
    i.session_id,
    o.has_parent desc,
    s.role = 'agent',
    s.path,
    o.generation,
    o.offset
