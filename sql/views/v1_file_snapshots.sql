create view v1_file_snapshots as
-- One row per file in a file-history snapshot: the backups that Claude Code can go back to.
select
    i.session_id,
    json_extract(r.payload, '$.messageId') as message_id, -- in an id space of its own
    f.key as file_path,
    json_extract(f.value, '$.backupFileName') as backup_file_name,
    json_extract(f.value, '$.version') as version,
    json_extract(f.value, '$.backupTime') as backup_time,
    json_extract(r.payload, '$.isSnapshotUpdate') as is_update,
    json_extract(r.payload, '$.snapshot.timestamp') as timestamp,
    s.path as source_path,
    o.line_no
from records r
join occurrences o on o.id = r.occurrence
join session_ids i on i.id = o.session
join sources s on s.id = o.source
join json_each(
    case
        when json_type(r.payload, '$.snapshot.trackedFileBackups') = 'object'
            then json_extract(r.payload, '$.snapshot.trackedFileBackups')
        else '{}'
    end
) f
where o.type = 'file-history-snapshot' and f.type = 'object'
