"""Views and totals agree with an independent and naive reading of the rules, on random projects."""

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
from tests.reference.meaning import meaning
from tests.reference.transcripts import folders

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
    "u.ok + u.errors + u.refused + u.interrupted, u.flagged, u.durations, u.first_at, u.last_at "
    "from tool_totals u join session_ids i on i.id = u.session",
}


def said(db: Path) -> dict[str, Any]:
    """What the views say, under the keys of the reference."""
    return {key: ask(db, query) for key, query in VIEWS.items()} | {
        "prompts": dict(ask(db, "select session_id, first_prompt from v1_sessions")),
        "titles": dict(ask(db, "select session_id, title from v1_sessions")),
    }


@examples(45)
@given(folders())
def test_the_views_say_what_the_rules_say(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, files)
        index(db, root)
        assert broken(db) == {}
        found, wanted = said(db), meaning(root)
        for key, value in found.items():
            assert _plain(value) == _plain(wanted[key]), key


def _plain(value: Any) -> Any:
    """Rows in one order, whatever holds them."""
    return value if isinstance(value, dict) else sorted(json.dumps(list(row)) for row in value)


@examples(30)
@given(folders())
def test_every_row_of_totals_is_what_a_plain_count_gives(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, db = Path(folder).resolve() / "p", Path(folder) / "x.db"
        write_all(root, {name: _TIME.sub(_stretched, data) for name, data in files.items()})
        index(db, root)
        wanted = meaning(root)
        for key, query in TOTALS.items():
            assert _plain(ask(db, query)) == _plain(wanted[key]), key


_TIME = re.compile(rb"(2026-03-01[T ]\d\d):(\d\d):(\d\d)")
_STRETCH = 330  # random entries are a second apart: all in one quarter hour, without a gap of more than ten minutes


def _stretched(time: re.Match[bytes]) -> bytes:
    hour, minutes, seconds = time[1].decode(), int(time[2]), int(time[3])
    later = datetime.fromisoformat(f"{hour}:00:00") + timedelta(seconds=_STRETCH * (60 * minutes + seconds))
    return later.isoformat().encode()
