-- Sessions that go on from others, and what was said last before.
-- group: Branches and sessions
-- One that continues begins where a line ends, one that forks begins before that.
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
    ) as said_last_before
from v1_sessions s
left join v1_sessions p on p.session_id = s.parent_session_id
where s.relation in ('continues', 'forks')
order by s.first_timestamp_ms desc, s.session_id
limit 20
