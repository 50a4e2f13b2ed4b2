"""`scripts/corpus`: copies that are whole and strangers to one another, and made-up transcripts that are sound."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.making.folders import ROOT
from tests.making.indexes import ask, broken, findings, index, one
from transcripts.ids import Ids, renamings
from transcripts.shapes import SHAPES

SAMPLE = ROOT / "scripts" / "sample"
ID = re.compile(rb"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:toolu|msg|req)_[0-9A-Za-z]{8,}")
# what is told of a run, of the program or of names that all copies share
COMMON = {"v1_ingest_runs", "v1_meta", "v1_prices", "v1_tools"}


def corpus_script(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "corpus", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def made(*arguments: str | Path) -> Path:
    """Run the script, whose last argument is where to, and insist that it worked."""
    done = corpus_script(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return Path(arguments[-1])


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def counts(db: Path) -> dict[str, int]:
    views = [name for (name,) in ask(db, "select name from sqlite_master where name like 'v1!_%' escape '!'")]
    told = {view: one(db, f"select count(*) from {view}") for view in views if view not in COMMON}
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
        told |= dict(ask(db, query))
    return told


def assert_multiplied(source: Path, work: Path, times: int) -> None:
    """Index the source and so many of it, and compare all that can be counted."""
    many = made("times", str(times), source, work / "many")
    index(work / "one.db", source)
    index(work / "many.db", many)
    once = counts(work / "one.db")
    assert counts(work / "many.db") == {name: times * count for name, count in once.items()}
    assert once["v1_entries"] > 0
    assert broken(work / "many.db") == {}


def test_there_is_so_much_of_everything(tmp_path: Path) -> None:
    assert_multiplied(SAMPLE, tmp_path, 3)


def test_there_is_so_much_of_everything_in_real_transcripts(corpus: Path, tmp_path: Path) -> None:
    folders = [path for path in corpus.iterdir() if path.is_dir()]
    folders.sort(key=lambda path: sum(file.stat().st_size for file in path.rglob("*") if file.is_file()))
    for folder in folders[:20]:  # among them some with subagents and sidecars
        shutil.copytree(folder, tmp_path / "some" / folder.name)
    assert_multiplied(tmp_path / "some", tmp_path, 2)


def test_there_is_so_much_of_everything_in_a_single_project(tmp_path: Path) -> None:
    [project] = (path for path in (SAMPLE / "projects").iterdir() if path.name.endswith("recipe-box"))
    many = made("times", "2", project, tmp_path / "many")
    assert len(list(many.glob("*.jsonl"))) == 2 * len(list(project.glob("*.jsonl")))
    shutil.copytree(many, tmp_path / "p" / project.name)
    index(tmp_path / "x.db", tmp_path / "p")
    assert one(tmp_path / "x.db", "select count(*) from v1_agents where spawn_uuid is not null") == 2


def test_the_first_copy_is_the_source_and_no_other_has_an_id_of_it(tmp_path: Path) -> None:
    many = contents(made("times", "3", SAMPLE, tmp_path / "many"))
    source = contents(SAMPLE)
    assert {name: many.get(name) for name in source} == source
    seen: list[set[bytes]] = []
    for mark in ("-copy2-", "-copy3-"):
        copy = {name: data for name, data in many.items() if mark in name}
        sizes = sorted(len(data.replace(mark.encode(), b"-")) for data in copy.values())
        assert sizes == sorted(map(len, source.values()))
        seen.append({found for name, data in copy.items() for found in ID.findall(name.encode() + data)})
    first = {found for name, data in source.items() for found in ID.findall(name.encode() + data)}
    assert [len(ids) for ids in seen] == [len(first)] * 2
    assert not first & seen[0]
    assert not (first | seen[0]) & seen[1]


def test_mentions_follow(tmp_path: Path) -> None:
    folder = tmp_path / "source" / "-w"
    folder.mkdir(parents=True)
    session, agent = "11111111-2222-4333-8444-555555555555", "abc1234"
    text = f'{{"sessionId":"{session}","agentId":"{agent}","text":"\\nagentId: {agent} in x/projects/-w/{session}/t"}}'
    (folder / f"{session}.jsonl").write_text(text)
    (folder / f"agent-{agent}.jsonl").write_text(f"no JSON, but of {agent}; not abc12345 nor abc1235")
    copies = made("times", "2", tmp_path / "source", tmp_path / "out") / "-copy2-w"
    [new] = (path.stem for path in copies.iterdir() if not path.name.startswith("agent-"))
    [their] = (path.stem.removeprefix("agent-") for path in copies.glob("agent-*"))
    assert len({new, session}) == len({their, agent}) == 2
    renamed = text.replace(session, new).replace(agent, their).replace("projects/-w/", "projects/-copy2-w/")
    assert (copies / f"{new}.jsonl").read_text() == renamed
    assert (copies / f"agent-{their}.jsonl").read_text() == f"no JSON, but of {their}; not abc12345 nor abc1235"


def test_new_ids_sort_as_the_old_ones() -> None:
    ids = Ids()
    for data in contents(SAMPLE).values():
        ids.note(data)
    found = renamings(ids, 1)
    first, second = next(found), next(found)
    for known in ids.by_form.values():
        for renaming in (first, second):
            new = [renaming[old] for old in sorted(known)]
            assert new == sorted(new)
            assert {len(old) for old in known} == {len(given) for given in new}
    assert not set(first.values()) & set(second.values())


def test_the_same_seed_makes_the_same_bytes(tmp_path: Path) -> None:
    wanted: list[list[str | Path]] = [["times", "2", SAMPLE], ["shape", "day", "3"]]
    for number, words in enumerate(wanted):
        first, again = (contents(made(*words, tmp_path / f"{number}{name}")) for name in "ab")
        other = contents(made(*words, "--seed", "2", tmp_path / f"{number}c"))
        assert first == again
        assert first != other


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_a_shape_is_sound(shape: str, tmp_path: Path) -> None:
    report = index(tmp_path / "x.db", made("shape", shape, "12", tmp_path / "made"))
    assert report.entries_added >= 12
    assert (report.malformed_lines, broken(tmp_path / "x.db")) == (0, {})
    assert ask(tmp_path / "x.db", "select kind, name from v1_drift") == []
    assert {kind for kind, _ in findings(tmp_path / "x.db")} <= {"unexpected-root"}


def test_a_day_has_a_bit_of_everything(tmp_path: Path) -> None:
    db = tmp_path / "x.db"
    index(db, made("shape", "day", "40", tmp_path / "made"))
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


def test_wrong_words_are_told(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    for status, *words in (
        (1, "times", "2", SAMPLE, tmp_path),
        (1, "times", "2", tmp_path / "nothing", tmp_path / "out"),
        (2, "times", "0", SAMPLE, tmp_path / "out"),
        (2, "shape", "nonsense", "1", tmp_path / "out"),
        (2,),
    ):
        done = corpus_script(*map(str, words))
        assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (status, "", False)
    assert not (tmp_path / "out").exists()
