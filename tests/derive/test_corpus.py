"""Facts about real transcripts, counted independently of the code under test. Skipped if there is no corpus."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ccindex.query.lists import Filters
from ccindex.query.search import search
from ccindex.store.connection import reading
from tests.making.indexes import ask, index, one

KINDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@pytest.fixture(scope="module")
def indexed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("corpus") / "x.db"
    index(db, corpus)
    return db


def objects(corpus: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted(corpus.rglob("*.jsonl")):
        with path.open("rb") as file:
            yield from ((path, json.loads(text)) for text in file)


def messages(corpus: Path) -> Iterator[dict[str, Any]]:
    """Yield the API messages in assistant entries, and the API messages wrapped in agent_progress entries."""
    for _, value in objects(corpus):
        entry = value if value.get("type") == "assistant" else (value.get("data") or {}).get("message") or {}
        message = entry.get("message") or {}
        if entry.get("type") == "assistant" and message["model"] != "<synthetic>":
            yield message


def test_each_response_is_counted_once_with_its_fullest_usage(indexed: Path, corpus: Path) -> None:
    fullest: dict[str, dict[str, int]] = {}
    for message in messages(corpus):
        usage, known = message["usage"], fullest.get(message["id"])
        if known is None or usage["output_tokens"] >= known["output_tokens"]:
            fullest[message["id"]] = usage
    expected = Counter({kind: sum(usage.get(kind) or 0 for usage in fullest.values()) for kind in KINDS})
    assert (len(fullest), *(expected[kind] for kind in KINDS)) == (4_545, 96_223, 759_711, 12_024_282, 296_261_617)
    tokens = "sum(input_tokens), sum(output_tokens), sum(cache_creation_tokens), sum(cache_read_tokens)"
    assert ask(indexed, f"select sum(responses), {tokens} from v1_usage") == [
        (4_545, 96_223, 759_711, 12_024_282, 296_261_617)
    ]
    assert {row[0] for row in ask(indexed, "select message_id from v1_responses")} == fullest.keys()


def test_cost_matches_the_list_prices(indexed: Path) -> None:
    for view in ("v1_responses", "v1_usage", "v1_sessions", "v1_projects"):
        assert one(indexed, f"select sum(est_cost_usd) from {view}") == pytest.approx(234.26, rel=0.001)
    assert one(indexed, "select count(*) from v1_responses where est_cost_usd is null") == 0


def test_every_call_and_result_is_in_one_pair(indexed: Path, corpus: Path) -> None:
    owners = dict(ask(indexed, "select uuid, session_id from v1_entries"))
    expected = set()
    for _, value in objects(corpus):
        content = (value.get("message") or {}).get("content")
        for block in content if "uuid" in value and isinstance(content, list) else ():
            if block.get("type") in ("tool_use", "tool_result"):
                expected.add((block.get("id") or block["tool_use_id"], owners[value["uuid"]]))
    pairs = ask(indexed, "select tool_use_id, session_id from v1_tool_pairs")
    assert len(pairs) == len(set(pairs)) == len(expected) == 4_962
    assert set(pairs) == expected
    assert ask(indexed, "select count(*) from v1_diagnostics where kind in ('extra-result', 'orphan-result')") == [(0,)]


def test_every_agent_file_has_a_row_with_the_name_from_its_call(indexed: Path, corpus: Path) -> None:
    files = {
        (path.stem.removeprefix("agent-"), value["sessionId"])
        for path, value in objects(corpus)
        if path.stem.startswith("agent-")
    }
    rows = ask(indexed, "select agent_id, session_id from v1_agents")
    assert len(files) == 69
    assert files <= set(rows)
    assert len(rows) == len(set(rows)) == one(indexed, "select sum(agent_count) from v1_sessions")
    types = {
        block["id"]: block["input"].get("subagent_type", "unknown")
        for _, value in objects(corpus)
        if value.get("type") == "assistant"
        for block in value["message"]["content"]
        if block.get("name") in ("Task", "Agent")
    }
    spawned = ask(indexed, "select tool_use_id, name, depth from v1_agents where tool_use_id is not null")
    assert {(call, name, depth) for call, name, depth in spawned} == {(call, types[call], 1) for call, *_ in spawned}
    assert {call for call, *_ in spawned} == types.keys()


def test_search_does_not_find_encoded_images(indexed: Path, corpus: Path) -> None:
    encoded = re.compile(rb'"data":"([A-Za-z0-9+/]{2000,}=*)"')
    images = {image for path in corpus.rglob("*.jsonl") for image in encoded.findall(path.read_bytes())}
    pieces = {word for image in images for word in re.findall(r"[A-Za-z0-9]{12,}", image[:1_500].decode())}
    assert len(pieces) > 10
    with reading(indexed) as connection:
        assert [piece for piece in pieces if search(connection, f"{piece}*", Filters())] == []
