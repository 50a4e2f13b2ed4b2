create view v1_tool_outcomes as
-- One row per result entry with a toolUseResult, an exit code or a denial: facts beyond the text that the model received.
select
    e.uuid, -- uuid of the entry
    (select r.tool_use_id from tool_results r where r.entry = t.entry order by r.idx limit 1) as tool_use_id, -- id of the call; if the entry contains several results, the id for the first one
    t.status, -- status as recorded
    t.exit_code, -- exit code of a shell command
    t.is_interrupted, -- 1 if the call was interrupted
    t.duration_ms, -- duration in milliseconds, as reported by the tool
    t.agent_id, -- subagent that produced the result
    t.workflow_run, -- workflow run that the call started
    t.file_path, -- file that the call read or wrote
    t.lines_added, -- number of lines added, from the structured patch
    t.lines_removed, -- number of lines removed, from the structured patch
    t.num_files, -- number of files, for a search
    t.num_lines, -- number of lines, for a search or a read
    t.stdout_bytes, -- size of the standard output in bytes
    t.stderr_bytes, -- size of the standard error in bytes
    t.total_tokens, -- total tokens used by a subagent
    t.total_tool_uses, -- number of tool calls made by a subagent
    t.is_async, -- 1 if the call runs in the background
    t.background_task_id, -- id of the background task
    t.persisted_path, -- file to which Claude Code wrote output too large for the transcript
    t.persisted_size, -- size of that file in bytes
    t.facts -- all other facts as JSON, without long strings
from tool_outcomes t
join entries e on e.id = t.entry
