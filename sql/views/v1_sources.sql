create view v1_sources as
-- One row per file ever indexed.
select
    s.path, -- absolute, symbolic links resolved
    s.project, -- name of the folder that holds the session file
    case s.role
        when 'session' then 'session'
        when 'agent' then 'agent'
        when 'journal' then 'workflow'
        when 'run' then 'workflow'
        else 'other'
    end as kind, -- session, agent, workflow (journals and run files), other (sidecars, persisted tool results)
    case
        when s.is_missing then 'missing'
        when s.generation > 1 then 'rewritten'
        else 'present'
    end as state, -- present, missing, or rewritten: present, with earlier generations in the archive
    g.archived as size, -- bytes when last read
    g.offset as indexed_bytes, -- less than size while the file ends in a torn line
    case
        when s.role in ('session', 'agent', 'journal')
            then g.line_no - 1 + (g.line_objects > 0 or g.is_torn)
    end as lines, -- of transcripts
    g.malformed as malformed_lines,
    s.first_indexed_at,
    g.last_indexed_at,
    s.role, -- session, agent, journal, run, sidecar, tool_result
    s.agent_id, -- that the file's name holds
    s.workflow_run, -- that the file's folder or name holds
    s.generation as generations -- how many, the earlier ones in the archive only
from sources s
join generations g on g.source = s.id and g.number = s.generation
