create view v1_file_snapshots as
-- One row per file in a file-history snapshot, with the backup that Claude Code can restore.
select
    i.session_id, -- session that the snapshot belongs to
    json_extract(r.payload, '$.messageId') as message_id, -- message id as recorded; it can be equal to the uuid of an entry
    f.key as file_path, -- file that was backed up
    json_extract(f.value, '$.backupFileName') as backup_file_name, -- name of the backup file
    json_extract(f.value, '$.version') as version, -- version number of the backup
    json_extract(f.value, '$.backupTime') as backup_time, -- time of the backup
    json_extract(r.payload, '$.isSnapshotUpdate') as is_update, -- 1 if the snapshot updates an earlier one
    json_extract(r.payload, '$.snapshot.timestamp') as timestamp, -- timestamp of the snapshot as recorded
    s.path as source_path, -- transcript file that contains the snapshot
    o.line_no -- line number in that file, from 1
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
