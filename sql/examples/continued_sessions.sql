-- Sessions that continue or fork another session, with the last text before their starting point.
-- group: Branches and sessions
-- A session continues another session if it starts at the end of a line, and forks from it if it starts earlier.
select
    s.first_timestamp,
    s.relation,
    substr(s.first_prompt, 1, 60) as first_prompt,
    s.session_id,
    s.parent_session_id,
    coalesce(p.title, substr(p.first_prompt, 1, 60)) as parent_title,
    (
        select substr(e.text, 1, 60)
        from v1_entries a
        join v1_entries e on e.line_id = a.line_id and e.position <= a.position
        where a.uuid = s.attachment_uuid and e.kind in ('prompt', 'assistant') and e.text is not null
        order by e.position desc
        limit 1
    ) as last_text_before
from v1_sessions s
left join v1_sessions p on p.session_id = s.parent_session_id
where s.relation in ('continues', 'forks')
order by s.first_timestamp_ms desc, s.session_id
limit 20
