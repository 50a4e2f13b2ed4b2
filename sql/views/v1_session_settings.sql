create view v1_session_settings as
-- One row per record of a session setting, such as a mode or a link to a pull request.
select
    i.session_id, -- session that the record belongs to
    o.type as kind, -- permission-mode, mode, pr-link, bridge-session, ...
    coalesce(
        json_extract(r.payload, '$.permissionMode'),
        json_extract(r.payload, '$.mode'),
        json_extract(r.payload, '$.prUrl')
    ) as value, -- the mode, or the URL of the pull request
    json_extract(r.payload, '$.prNumber') as pr_number, -- number of the pull request
    json_extract(r.payload, '$.prRepository') as pr_repository, -- repository of the pull request
    r.timestamp, -- timestamp as recorded
    r.payload, -- the record as JSON
    s.path as source_path, -- file that contains the record
    o.line_no -- line number in that file, from 1
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
where o.type in ('permission-mode', 'mode', 'pr-link', 'bridge-session', 'atis-latch', 'agent-setting', 'tag')
