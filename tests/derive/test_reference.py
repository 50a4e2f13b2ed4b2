"""Views and totals agree with the reference implementation on random projects."""

import json
import re
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import given

from tests.making.files import write_all
from tests.making.hypothesis_settings import examples
from tests.making.indexes import ask, broken, index
from tests.reference.expected_facts import expected_facts
from tests.reference.random_projects import projects

VIEWS = {
    "tool_pairs": "select tool_use_id, session_id, name, use_uuid, result_uuid, status, is_error, duration_ms, "
    "line_id, delayed from v1_tool_pairs",
    "extra_results": "select session_id, uuid from v1_diagnostics where kind = 'extra-result'",
    "responses": "select message_id, request_id, session_id, agent_id, model, timestamp, entry_count, input_tokens, "
    "output_tokens, cache_creation_5m_tokens, cache_creation_1h_tokens, cache_read_tokens, usage_final "
    "from v1_responses",
    "agents": "select agent_id, session_id, line_id, name, kind, depth, parent_agent_id, spawn_uuid, tool_use_id, "
    "prompt, entry_count from v1_agents",
    "compactions": "select uuid, session_id, line_id, trigger, pre_tokens, post_tokens, logical_parent_uuid, "
    "summary_uuid, timestamp, label from v1_compactions",
    "file_touches": "select path, operation, tool_use_id, uuid, session_id, line_id, timestamp, on_active_path "
    "from v1_file_touches",
}
TOTALS = {
    "usage_totals": "select i.session_id, u.quarter_hour, u.agent_id, u.model, u.entries, u.spans, u.responses, "
    "u.input_tokens, u.output_tokens, u.cache_creation_tokens, u.cache_read_tokens "
    "from usage_totals u join session_ids i on i.id = u.session",
    "tool_totals": "select i.session_id, u.quarter_hour, u.agent_id, u.model, u.name, u.calls, "
    "u.ok + u.errors + u.refused + u.interrupted, u.error_results, u.durations_ms, "
    "u.first_timestamp_ms, u.last_timestamp_ms from tool_totals u join session_ids i on i.id = u.session",
}


def read_views(db: Path) -> dict[str, Any]:
    """Return the rows of the views under the same keys as the reference implementation."""
    return {key: ask(db, query) for key, query in VIEWS.items()} | {
        "prompts": dict(ask(db, "select session_id, first_prompt from v1_sessions")),
        "titles": dict(ask(db, "select session_id, title from v1_sessions")),
    }


@examples(45)
@given(projects())
def test_views_agree_with_the_reference_implementation(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, files)
        index(db, root)
        assert broken(db) == {}
        expected = expected_facts(root)
        for key, rows in read_views(db).items():
            assert _normalize(rows) == _normalize(expected[key]), key


def _normalize(value: Any) -> Any:
    """Return rows as a sorted list, whatever collection they come in."""
    return value if isinstance(value, dict) else sorted(json.dumps(list(row)) for row in value)


@examples(30)
@given(projects())
def test_totals_agree_with_the_reference_implementation(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, {name: _TIME.sub(_stretch, data) for name, data in files.items()})
        index(db, root)
        expected = expected_facts(root)
        for key, query in TOTALS.items():
            assert _normalize(ask(db, query)) == _normalize(expected[key]), key


_TIME = re.compile(rb"(2026-03-01[T ]\d\d):(\d\d):(\d\d)")
_STRETCH_FACTOR = 330  # random entries are one second apart; the factor spreads them over several quarter hours


def _stretch(time: re.Match[bytes]) -> bytes:
    hour, minutes, seconds = time[1].decode(), int(time[2]), int(time[3])
    later = datetime.fromisoformat(f"{hour}:00:00") + timedelta(seconds=_STRETCH_FACTOR * (60 * minutes + seconds))
    return later.isoformat().encode()
