create view v1_session_settings as
-- One row per record of a mode, a link to a pull request, or another fact about a session.
select
    i.session_id,
    o.type as kind, -- permission-mode, mode, pr-link, bridge-session, ...
    coalesce(
        json_extract(r.payload, '$.permissionMode'),
        json_extract(r.payload, '$.mode'),
        json_extract(r.payload, '$.prUrl')
    ) as value,
    json_extract(r.payload, '$.prNumber') as pr_number,
    json_extract(r.payload, '$.prRepository') as pr_repository,
    r.timestamp,
    r.payload, -- JSON
    s.path as source_path,
    o.line_no
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type in ('permission-mode', 'mode', 'pr-link', 'bridge-session', 'atis-latch', 'agent-setting', 'tag')
