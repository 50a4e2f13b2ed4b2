create view v1_tool_outcomes as
-- One row per entry with a toolUseResult: what happened, beyond the text that the model saw.
select
    e.uuid,
    (select r.tool_use_id from tool_results r where r.entry = t.entry order by r.idx limit 1) as tool_use_id,
    t.status,
    t.exit_code,
    t.is_interrupted,
    t.duration_ms,
    t.agent_id, -- the subagent that answered
    t.workflow_run,
    t.file_path,
    t.lines_added, -- by the structured patch
    t.lines_removed,
    t.num_files,
    t.num_lines,
    t.stdout_bytes,
    t.stderr_bytes,
    t.total_tokens, -- of a subagent
    t.total_tool_uses,
    t.is_async,
    t.background_task_id,
    t.persisted_path, -- where Claude Code put output too large for the transcript
    t.persisted_size,
    t.facts -- JSON of the rest, long texts left out
from tool_outcomes t
join entries e on e.id = t.entry
