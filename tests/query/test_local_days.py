"""The totals per local day in `stats --by day` match totals computed directly from the transcripts."""

from pathlib import Path
from typing import Any

import pytest

from tests.making.commands import run_json
from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import index
from tests.making.local_days import DayCount, count_local_days
from tests.making.transcripts import MODEL, assistant, line, token_usage

ZONES = ("UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Chatham")


def stats_per_day(db: Path, zone: str) -> dict[str, DayCount]:
    """Return the output of `stats --by day` in the given time zone, without days that have no response."""
    document = run_json("stats", "--by", "day", "--db", db, env={"TZ": zone})
    counts = {row["day"]: DayCount(*(row[name] for name in DayCount._fields)) for row in document["rows"]}
    return {day: count for day, count in counts.items() if count.responses}


@pytest.fixture(scope="module")
def corpus_index(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    db = tmp_path_factory.mktemp("corpus").resolve() / "x.db"
    index(db, corpus)
    return db


@pytest.mark.parametrize("zone", ZONES)
def test_daily_counts_of_the_sample_match_a_direct_count(db: Path, zone: str) -> None:
    index(db, SAMPLE)
    counted = count_local_days(SAMPLE, zone)
    assert len(counted) > 3
    assert stats_per_day(db, zone) == counted


@pytest.mark.parametrize("zone", ZONES)
def test_daily_counts_of_the_corpus_match_a_direct_count(corpus_index: Path, corpus: Path, zone: str) -> None:
    counted = count_local_days(corpus, zone)
    assert len(counted) > 30
    assert stats_per_day(corpus_index, zone) == counted


def response(uuid: str, stamp: str, message_id: str, output: int, *, iterations: Any = (), **keys: Any) -> str:
    usage = token_usage(read=1, output=output) | {"iterations": iterations}
    message = {"id": message_id, "model": keys.pop("model", MODEL), "usage": usage}
    return assistant(uuid, 0, message=message, timestamp=stamp, **keys)


@pytest.mark.parametrize("zone", ZONES)
def test_snapshots_sidechains_wrapped_messages_and_advisors_are_counted(db: Path, project: Path, zone: str) -> None:
    advice = [{"type": "advisor_message", "model": "claude-sonnet-4-6", "input_tokens": 5, "output_tokens": 6}]
    wrapped = {"type": "assistant", "message": {"id": "m3", "model": "claude-x", "usage": {"output_tokens": 40}}}
    write(
        project / "s1.jsonl",
        response("u1", "2026-03-01T23:59:59.999Z", "m1", 10),
        response("u2", "2026-03-02T00:00:00Z", "m1", 30),
        response("u3", "2026-03-02T11:00:00Z", "m1", 20),
        response("u4", "2026-03-02T09:14:59.999Z", "m2", 7, isSidechain=True, agentId="a"),
        response("u5", "2026-03-03T10:15:00Z", "m2", 7, iterations=advice),
        response("u6", "2026-03-02T10:15:00Z", "m4", 7, model="<synthetic>"),
        response("u7", "2026-03-02T10:15:00Z", "m5", 7, isApiErrorMessage=True),
        line(
            "u8", type="progress", timestamp="2026-03-04T10:30:00Z", data={"type": "agent_progress", "message": wrapped}
        ),
    )
    index(db, project)
    counted = count_local_days(project, zone)
    assert stats_per_day(db, zone) == counted
    if zone == "UTC":
        assert counted == {
            "2026-03-01": DayCount(1, 1, 30, 0, 0),
            "2026-03-03": DayCount(2, 6, 13, 0, 0),
            "2026-03-04": DayCount(1, 0, 40, 0, 0),
        }
