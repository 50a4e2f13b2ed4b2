-- All copies of an entry in the order in which they come to own it, with what that order goes by.
-- params:  uuid
-- columns: is_owner, is_current, session_first_at, session_first_own_at, session_id, has_parent, is_agent_file,
-- columns: is_helper_file, agent_file_entries (both of agent files alone), source_path, generation, byte_offset, line_no, same_bytes
select
    o.is_owner,
    o.is_current,
    r.first_at,
    r.first_own_at,
    i.session_id,
    o.has_parent,
    s.role = 'agent' as is_agent_file,
    case s.role when 'agent' then
        s.agent_id glob 'acompact-*' or s.agent_id glob 'aprompt_suggestion-*' or s.agent_id glob 'aside_question-*'
    end as is_helper_file,
    case s.role when 'agent' then (
        select count(*)
        from occurrences x
        where x.source = s.id and x.entry is not null and x.is_current = 1
    ) end as agent_file_entries,
    s.path,
    o.generation,
    o.offset,
    o.line_no,
    o.hash = e.hash as same_bytes
from entries e
join occurrences o on o.entry = e.id
join session_ids i on i.id = o.session
join sources s on s.id = o.source
left join session_ranks r on r.session = o.session
where e.uuid = :uuid
order by
    o.is_current desc,
    r.first_at,
    r.first_own_at is null,
    r.first_own_at,
    i.session_id,
    o.has_parent desc,
    s.role = 'agent',
    is_helper_file,
    agent_file_entries desc,
    s.path,
    o.generation,
    o.offset
