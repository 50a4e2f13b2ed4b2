"""`scripts/corpus` writes complete copies without links between them, and generates valid transcripts."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.making.folders import ROOT
from tests.making.indexes import ask, broken, findings, index, one
from transcripts.ids import IdCollection, generate_renamings
from transcripts.shapes import SHAPES, write

SAMPLE = ROOT / "scripts" / "sample"
ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:toolu|msg|req)_[0-9A-Za-z]{8,}")
# views whose row count does not grow with the number of copies
COMMON_VIEWS = {"v1_ingest_runs", "v1_meta", "v1_prices", "v1_tools"}


def corpus_script(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "corpus", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def generate(*arguments: str | Path) -> Path:
    """Run the script, check that it succeeded, and return its last argument: the folder that it wrote to."""
    process = corpus_script(*arguments)
    assert (process.returncode, process.stderr) == (0, "")
    return Path(arguments[-1])


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def counts(db: Path) -> dict[str, int]:
    views = [name for (name,) in ask(db, "select name from sqlite_master where name like 'v1!_%' escape '!'")]
    rows = {view: one(db, f"select count(*) from {view}") for view in views if view not in COMMON_VIEWS}
    for query in (
        "select 'fork ' || rung || verdict, count(*) from v1_forks group by 1",
        "select 'set aside ' || reason, count(*) from v1_set_aside group by 1",
        "select 'line ' || kind, count(*) from v1_lines group by 1",
        "select 'agent ' || rule || status, count(*) from v1_agents group by 1",
        "select 'finding ' || kind, count(*) from v1_diagnostics group by 1",
        "select 'input', sum(input_tokens) from v1_responses",
        "select 'output', sum(output_tokens) from v1_responses",
        "select 'read', sum(cache_read_tokens) from v1_responses",
    ):
        rows |= dict(ask(db, query))
    return rows


def assert_multiplied(source: Path, work: Path, times: int) -> None:
    """Index the source and its copies, and compare the number of rows."""
    many = generate("times", str(times), source, work / "many")
    index(work / "one.db", source)
    index(work / "many.db", many)
    once = counts(work / "one.db")
    assert counts(work / "many.db") == {name: times * count for name, count in once.items()}
    assert once["v1_entries"] > 0
    assert broken(work / "many.db") == {}


def test_copies_multiply_all_counts(tmp_path: Path) -> None:
    assert_multiplied(SAMPLE, tmp_path, 3)


def test_copies_of_real_transcripts_multiply_all_counts(corpus: Path, tmp_path: Path) -> None:
    folders = [path for path in corpus.iterdir() if path.is_dir()]
    folders.sort(key=lambda path: sum(file.stat().st_size for file in path.rglob("*") if file.is_file()))
    for folder in folders[:20]:  # these include subagents and sidecars
        shutil.copytree(folder, tmp_path / "some" / folder.name)
    assert_multiplied(tmp_path / "some", tmp_path, 2)


def test_single_project_folder_can_be_multiplied(tmp_path: Path) -> None:
    [project] = (path for path in (SAMPLE / "projects").iterdir() if path.name.endswith("recipe-box"))
    many = generate("times", "2", project, tmp_path / "many")
    assert len(list(many.glob("*.jsonl"))) == 2 * len(list(project.glob("*.jsonl")))
    shutil.copytree(many, tmp_path / "p" / project.name)
    index(tmp_path / "x.db", tmp_path / "p")
    assert one(tmp_path / "x.db", "select count(*) from v1_agents where spawn_uuid is not null") == 2


def test_first_copy_is_the_source_and_others_share_no_ids_with_it(tmp_path: Path) -> None:
    many = contents(generate("times", "3", SAMPLE, tmp_path / "many"))
    source = contents(SAMPLE)
    assert {name: many.get(name) for name in source} == source
    new: list[set[bytes]] = []
    for mark in ("-copy2-", "-copy3-"):
        copy = {name: data for name, data in many.items() if mark in name}
        sizes = sorted(len(data.replace(mark.encode(), b"-")) for data in copy.values())
        assert sizes == sorted(map(len, source.values()))
        new.append(ids_in(copy))
    old = ids_in(source)
    assert [len(ids) for ids in new] == [len(old)] * 2
    assert not old & new[0]
    assert not (old | new[0]) & new[1]


def ids_in(files: dict[str, bytes]) -> set[bytes]:
    return {match for name, data in files.items() for match in ID.findall(name.encode() + data)}


def test_ids_in_text_are_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "source" / "-w"
    folder.mkdir(parents=True)
    session, agent = "11111111-2222-4333-8444-555555555555", "abc1234"
    text = f'{{"sessionId":"{session}","agentId":"{agent}","text":"\\nagentId: {agent} in x/projects/-w/{session}/t"}}'
    (folder / f"{session}.jsonl").write_text(text)
    (folder / f"agent-{agent}.jsonl").write_text(f"not JSON, but has {agent}; not abc12345 nor abc1235")
    copies = generate("times", "2", tmp_path / "source", tmp_path / "out") / "-copy2-w"
    [new_session] = (path.stem for path in copies.iterdir() if not path.name.startswith("agent-"))
    [new_agent] = (path.stem.removeprefix("agent-") for path in copies.glob("agent-*"))
    assert len({new_session, session}) == len({new_agent, agent}) == 2
    renamed = text.replace(session, new_session).replace(agent, new_agent)
    renamed = renamed.replace("projects/-w/", "projects/-copy2-w/")
    assert (copies / f"{new_session}.jsonl").read_text() == renamed
    other = (copies / f"agent-{new_agent}.jsonl").read_text()
    assert other == f"not JSON, but has {new_agent}; not abc12345 nor abc1235"


def test_new_ids_sort_like_the_old_ones() -> None:
    ids = IdCollection()
    for data in contents(SAMPLE).values():
        ids.collect(data)
    renamings = generate_renamings(ids, 1)
    first, second = next(renamings), next(renamings)
    for old_ids in ids.by_format.values():
        for renaming in (first, second):
            new_ids = [renaming[old] for old in sorted(old_ids)]
            assert new_ids == sorted(new_ids)
            assert {len(old) for old in old_ids} == {len(new) for new in new_ids}
    assert not set(first.values()) & set(second.values())


def test_same_seed_gives_same_files(tmp_path: Path) -> None:
    commands: list[list[str | Path]] = [["times", "2", SAMPLE], ["shape", "day", "3"]]
    for number, arguments in enumerate(commands):
        first, again = (contents(generate(*arguments, tmp_path / f"{number}{name}")) for name in "ab")
        other = contents(generate(*arguments, "--seed", "2", tmp_path / f"{number}c"))
        assert first == again
        assert first != other


# the kinds of diagnostics that a shape is expected to have
EXPECTED_FINDINGS = {
    "recordings": {"prompt-set-aside", "unexpected-root"},
    "ghost": {"orphan-parent", "unexpected-root"},
    "ghosts": {"orphan-parent", "unexpected-root"},
    "cycle": {"clock-skew", "cycle-cut", "unexpected-root"},
    "cycles": {"cycle-cut", "unexpected-root"},
}


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_generated_shapes_are_valid_transcripts(shape: str, tmp_path: Path) -> None:
    report = index(tmp_path / "x.db", generate("shape", shape, "12", tmp_path / "made"))
    assert max(report.entries_added, report.lines_read, report.files["seen"]) >= 12
    assert (report.malformed_lines, broken(tmp_path / "x.db")) == (12 if shape == "malformed" else 0, {})
    assert ask(tmp_path / "x.db", "select kind, name from v1_drift") == []
    assert {kind for kind, _ in findings(tmp_path / "x.db")} == EXPECTED_FINDINGS.get(shape, set())


FORKS = "select verdict, rung, count(*), max(child_count) from v1_forks group by 1, 2"
LINES = "select kind, count(*) from v1_lines group by 1 order by 1"
RELATIONS = "select relation, count(*) from v1_sessions group by 1 order by 1"
AGENTS = "select count(spawn_uuid), max(depth), sum(entry_count) from v1_agents"
COPIES = "select count(distinct uuid), count(*) from v1_occurrences where uuid is not null"
# by shape, a query and its result if the shape has size 12
PROPERTIES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "chain": (LINES, [("trunk", 1)]),
    "wide": (FORKS, [("rewind", 7, 1, 12)]),
    "prefixes": ("select max(length(line_id)) from v1_lines", [(36 + 1 + 16,)]),
    "long_ids": (
        "select max(length(replace(uuid, char(0), ''))), sum(instr(uuid, char(0)) > 0) from v1_entries",
        [(9_996, 6)],
    ),
    "retries": (FORKS, [("retry", 7, 1, 12)]),
    "side": (FORKS, [("stitched", 1, 1, 12)]),
    "calls": ("select status, count(*) from v1_tool_pairs", [("paired", 12)]),
    "results": ("select count(*) from v1_diagnostics where kind = 'extra-result'", [(11,)]),
    "rewinds": ("select max(length(line_id)) from v1_lines", [(36 + 12 * 13,)]),
    "progress": (FORKS, [("stitched", 1, 12, 2)]),
    "commands": (FORKS, [("continued", 5, 1, 12)]),
    "compactions": ("select count(*), count(summary_uuid) from v1_compactions", [(12, 12)]),
    "recordings": ("select reason, count(*) from v1_set_aside", [("replay", 33)]),
    "ghost": ("select count(distinct missing_parent_uuid), count(*) from v1_roots", [(1, 12)]),
    "ghosts": ("select count(distinct missing_parent_uuid), count(*) from v1_roots", [(12, 12)]),
    "cycle": ("select kind, count(*) from v1_roots", [("cycle_cut", 1)]),
    "cycles": ("select kind, count(*) from v1_roots", [("cycle_cut", 12)]),
    "agents": (AGENTS, [(12, 12, 24)]),
    "siblings": (AGENTS, [(12, 1, 12)]),
    "teammates": (AGENTS, [(1, 1, 24)]),
    "sidecars": ("select count(*) from v1_sources where kind = 'other'", [(12,)]),
    "reports": ("select count(*) from v1_progress", [(12,)]),
    "families": (RELATIONS, [("root", 12)]),
    "files": (RELATIONS, [("root", 12)]),
    "copies": (COPIES, [(20, 240)]),
    "one_uuid": (COPIES, [(1, 12)]),
    "resumes": (RELATIONS, [("continues", 11), ("root", 1)]),
    "resumes_copied": (COPIES, [(24, 156)]),
    "records": ("select count(distinct type), count(*) from v1_records", [(4, 12)]),
    "summaries": ("select count(distinct leaf_uuid), count(*) from v1_summaries", [(1, 12)]),
    "malformed": ("select count(*) from v1_diagnostics where kind = 'malformed-line'", [(12,)]),
}


@pytest.mark.parametrize("shape", sorted(SHAPES.keys() - {"day"}))
def test_shapes_have_the_described_properties(shape: str, tmp_path: Path) -> None:
    write(SHAPES[shape], 12, tmp_path / "made", seed=1)
    index(tmp_path / "x.db", tmp_path / "made")
    query, expected = PROPERTIES[shape]
    assert ask(tmp_path / "x.db", query) == expected


def test_day_shape_contains_all_common_features(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    index(db, generate("shape", "day", "40", tmp_path / "made"))
    assert one(db, "select count(*) from v1_sessions") == 40
    assert one(db, "select count(*) from v1_agents where spawn_uuid is null") == 0
    assert one(db, "select count(*) from v1_tool_pairs where result_uuid is null") == 0
    copied = "select uuid from v1_occurrences where uuid is not null group by uuid having count(*) > 1"
    for query in (
        "select count(*) from v1_agents",
        "select count(*) from v1_compactions",
        "select count(*) from v1_forks where verdict = 'rewind'",
        "select count(*) from v1_progress",
        "select sum(est_cost_usd) from v1_responses",
        f"select count(*) from ({copied})",
    ):
        assert one(db, query) > 0, query


def test_invalid_arguments_are_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for status, *arguments in (
        (1, "times", "2", SAMPLE, tmp_path),
        (1, "times", "2", tmp_path / "nothing", tmp_path / "out"),
        (2, "times", "0", SAMPLE, tmp_path / "out"),
        (2, "shape", "nonsense", "1", tmp_path / "out"),
        (2,),
    ):
        process = corpus_script(*map(str, arguments))
        assert (process.returncode, process.stdout, "Traceback" in process.stderr) == (status, "", False)
    assert not (tmp_path / "out").exists()
