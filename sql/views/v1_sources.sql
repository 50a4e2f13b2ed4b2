create view v1_sources as
-- One row per file that was indexed and not forgotten, whether or not it still exists.
select
    s.path, -- absolute path, with symbolic links resolved
    s.project, -- name of the folder that contains the session file
    case s.role
        when 'session' then 'session'
        when 'agent' then 'agent'
        when 'journal' then 'workflow'
        when 'run' then 'workflow'
        else 'other'
    end as kind, -- session, agent, workflow (journals and run files) or other (sidecars and persisted tool results)
    case
        when s.is_missing then 'missing'
        when s.generation > 1 then 'rewritten'
        else 'present'
    end as state, -- present, missing, or rewritten (present, with earlier generations in the archive)
    g.archived as size, -- size in bytes when last read
    g.offset as indexed_bytes, -- number of bytes indexed; less than size while the last line is incomplete
    case
        when s.role in ('session', 'agent', 'journal')
            then g.line_no - 1 + (g.line_objects > 0 or g.is_torn)
    end as lines, -- number of lines in a transcript or workflow journal; NULL for other files
    g.malformed_lines, -- number of lines that are not JSON objects
    s.first_indexed_at, -- time when the file was first indexed
    g.last_indexed_at, -- time when the file was last indexed
    s.role, -- session, agent, journal, run, sidecar or tool_result
    s.agent_id, -- subagent id in the file name
    s.workflow_run, -- workflow run id in the folder or file name
    s.generation as generations -- number of generations; only the last one can still be on disk
from sources s
join generations g on g.source = s.id and g.number = s.generation
