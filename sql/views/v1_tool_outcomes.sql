create view v1_tool_outcomes as
-- One row per result entry with a toolUseResult, an exit code or a denial: facts beyond the text that the model received.
select
    k.uuid, -- uuid of the entry
    k.tool_use_id, -- id of the call; if the entry contains several results, the id for the first one
    k.status, -- status as recorded
    k.exit_code, -- exit code of a shell command
    k.is_interrupted, -- 1 if the call was interrupted
    k.duration_ms, -- duration in milliseconds, as reported by the tool
    k.agent_id, -- subagent that produced the result
    k.workflow_run, -- workflow run that the call started
    k.file_path, -- file that the call read or wrote
    k.lines_added, -- number of lines added, from the structured patch
    k.lines_removed, -- number of lines removed, from the structured patch
    k.num_files, -- number of files, for a search
    k.num_lines, -- number of lines, for a search or a read
    k.stdout_bytes, -- size of the standard output in bytes
    k.stderr_bytes, -- size of the standard error in bytes
    k.total_tokens, -- total tokens used by a subagent
    k.total_tool_uses, -- number of tool calls made by a subagent
    k.is_async, -- 1 if the call runs in the background
    k.background_task_id, -- id of the background task
    k.persisted_path, -- file to which Claude Code wrote output too large for the transcript
    k.persisted_size, -- size of that file in bytes
    (
        select d.json
        from tool_outcomes t
        join extra_json d on d.id = t.facts
        where t.entry = k.entry
    ) as facts -- all other facts as JSON, without long strings
from (
    -- the ids and the small columns; see docs/contributing.md, "Add a view"
    select
        t.entry,
        e.uuid,
        (select r.tool_use_id from tool_results r where r.entry = t.entry order by r.idx limit 1) as tool_use_id,
        t.status,
        t.exit_code,
        t.is_interrupted,
        t.duration_ms,
        t.agent_id,
        t.workflow_run,
        t.file_path,
        t.lines_added,
        t.lines_removed,
        t.num_files,
        t.num_lines,
        t.stdout_bytes,
        t.stderr_bytes,
        t.total_tokens,
        t.total_tool_uses,
        t.is_async,
        t.background_task_id,
        t.persisted_path,
        t.persisted_size
    from tool_outcomes t
    join entries e on e.id = t.entry
) k
