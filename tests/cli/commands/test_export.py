"""`ccindex export` in real processes: files, output and error messages."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.making.commands import CCINDEX, ccindex, failure, run_json
from tests.making.dot_parser import parse_dot
from tests.making.example_indexes import make_example, make_hostile
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import line

ID_STEP = "check the id, or run ccindex ingest if it is new"
WRITE_STEP = "check the path, its permissions and the free disk space"
NAMES = {
    "json": ("transcript_", ".json"),
    "dot": ("graph_", ".dot"),
    "tree": ("tree_", ".txt"),
    "timeline": ("timeline_", ".txt"),
}


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_example(tmp_path_factory.mktemp("example"))


def export(db: Path, out: Path, *arguments: str, **keys: Any) -> list[str]:
    """Export, check the reported sizes, and return the names of the files."""
    files = run_json("export", "--db", db, "--out", out, *arguments, **keys)["files"]
    for file in files:
        assert file.keys() == {"path", "bytes"}
        assert Path(file["path"]).stat().st_size == file["bytes"]
    names = sorted(os.listdir(out)) if files else []
    assert names == [Path(file["path"]).name for file in files]
    assert out.exists() == bool(files)
    assert all(Path(file["path"]).parent == out for file in files)
    return names


@pytest.mark.parametrize("form", NAMES)
def test_every_format_except_markdown_has_one_file_per_session(example: Path, tmp_path: Path, form: str) -> None:
    start, end = NAMES[form]
    assert export(example, tmp_path / "one", "--session", "ma", "--format", form) == [f"{start}main{end}"]
    assert export(example, tmp_path / "all", "--all", "--format", form) == [
        f"{start}{name}{end}" for name in ("main", "next", "twin")
    ]
    assert (tmp_path / "one" / f"{start}main{end}").read_bytes() == (
        tmp_path / "all" / f"{start}main{end}"
    ).read_bytes()


def test_markdown_has_one_file_per_path(example: Path, tmp_path: Path) -> None:
    assert export(example, tmp_path / "main", "--session", "main") == [
        "transcript_main_path1_abandoned.md",
        "transcript_main_path2.md",
    ]
    assert export(example, tmp_path / "next", "--session", "next", "--format", "markdown") == ["transcript_next.md"]
    # every path once, in the session where it ends
    assert export(example, tmp_path / "all", "--all") == [
        "transcript_main_path1_abandoned.md",
        "transcript_next.md",
        "transcript_twin.md",
    ]
    export(example, tmp_path / "agents", "--session", "main", "--agents")
    name = "transcript_main_path2.md"
    assert "reply b1" in (tmp_path / "agents" / name).read_text()
    assert "reply b1" not in (tmp_path / "main" / name).read_text()


def test_exported_files_match_the_output_of_commands(example: Path, tmp_path: Path) -> None:
    for form in NAMES:
        ccindex("export", "--db", example, "--session", "main", "--format", form, "--out", tmp_path)
    tree = (tmp_path / "tree_main.txt").read_text()
    assert tree == ccindex("tree", "--session", "main", "--db", example).stdout
    assert tree.count("\n") == 5
    exported = json.loads((tmp_path / "transcript_main.json").read_bytes())
    shown = run_json("show", "main", "--db", example)["entries"]
    assert exported["entries"] == [{key: entry[key] for key in entry if key != "revision"} for entry in shown]
    assert [exported["session"]] == run_json("sessions", "--session", "main", "--db", example)["sessions"]
    dot_graph = parse_dot((tmp_path / "graph_main.dot").read_text().splitlines())
    assert len(dot_graph.nodes) == len(shown) == (tmp_path / "timeline_main.txt").read_text().count("\n") - 1


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--project", "W"], ["main", "next", "twin"]),
        (["--project", "elsewhere"], []),
        (["--since", "2026-03-01T09:15:02"], ["next"]),
        (["--until", "2026-03-01T09:00:05"], ["main"]),
        (["--since", "2026-03-01T09:00:10", "--until", "2026-03-01T09:05"], ["main", "twin"]),
        (["--all", "--project", "nowhere"], []),
    ],
)
def test_filters_select_sessions(example: Path, tmp_path: Path, arguments: list[str], names: list[str]) -> None:
    assert export(example, tmp_path / "out", *arguments, "--format", "tree") == [f"tree_{name}.txt" for name in names]


def test_paths_are_printed_without_a_summary_in_a_pipe(example: Path, tmp_path: Path) -> None:
    result = ccindex("export", "--db", example, "--all", "--format", "tree", "--out", "out", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == ["out/tree_main.txt", "out/tree_next.txt", "out/tree_twin.txt"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "select sessions with --session, another filter or --all"),
        (["--session", "main", "--all"], 2, "--session cannot be combined with --all or other filters"),
        (["--session", "main", "--since", "7d"], 2, "--session cannot be combined with --all or other filters"),
        (["--since", "someday"], 2, "'someday' is not a date"),
        (["--session", "main", "--format", "pdf"], 2, "pdf"),
        (["--session", "none"], 1, f"ccindex: no session in this index has an id starting with 'none'; {ID_STEP}\n"),
        (["--session", ""], 1, f"ccindex: no session in this index has an id starting with ''; {ID_STEP}\n"),
    ],
)
def test_user_errors_leave_no_files(
    example: Path, tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    exit_code, stderr = failure("export", "--db", example, "--out", tmp_path / "out", *arguments)
    assert exit_code == code
    assert message in stderr
    assert not (tmp_path / "out").exists()
    assert failure("export", "--db", example, "--session", "main")[0] == 2  # no --out


def test_export_replaces_its_files_and_keeps_others(example: Path, tmp_path: Path) -> None:
    target = tmp_path / "timeline_main.txt"
    arguments = ("export", "--db", example, "--session", "main", "--format", "timeline", "--out", tmp_path)
    target.write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    ccindex(*arguments)
    first = target.read_bytes()
    assert first.startswith(b"== 2026-03-01 ==\n")
    ccindex(*arguments)
    assert target.read_bytes() == first
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["notes.txt", "timeline_main.txt"]


@pytest.mark.parametrize(("out", "reason"), [("file", "File exists"), ("file/below", "Not a directory")])
def test_file_in_place_of_the_output_folder_is_reported(example: Path, tmp_path: Path, out: str, reason: str) -> None:
    (tmp_path / "file").write_text("mine")
    code, stderr = failure("export", "--db", example, "--all", "--format", "tree", "--out", tmp_path / out)
    assert (code, stderr) == (1, f"ccindex: cannot write '{tmp_path / out}': {reason}; {WRITE_STEP}\n")
    assert (tmp_path / "file").read_text() == "mine"


def test_folder_in_place_of_an_output_file_is_reported(example: Path, tmp_path: Path) -> None:
    (tmp_path / "tree_next.txt").mkdir()
    code, stderr = failure("export", "--db", example, "--all", "--format", "tree", "--out", tmp_path)
    assert (code, stderr) == (1, f"ccindex: cannot write '{tmp_path}/tree_next.txt': Is a directory; {WRITE_STEP}\n")
    assert sorted(os.listdir(tmp_path)) == ["tree_main.txt", "tree_next.txt"]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of a 50 MB session in which all entries differ."""
    folder = tmp_path_factory.mktemp("large").resolve()
    entries = (
        line(f"u{n}", parent=f"u{n - 1}" if n else None, message={"content": f"{n} " * 10_000}) for n in range(1_200)
    )
    write(folder / "p" / "s1.jsonl", *entries)
    index(folder / "x.db", folder / "p")
    return folder / "x.db"


def test_disk_full_keeps_the_existing_file_and_leaves_no_partial_file(large: Path, tmp_path: Path) -> None:
    target = tmp_path / "transcript_s1.json"
    target.write_text("before")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    arguments = ("export", "--db", large, "--session", "s1", "--format", "json", "--out", tmp_path)
    code, stderr = failure(*arguments, preexec_fn=limit)
    assert (code, stderr) == (1, f"ccindex: cannot write '{target}': File too large; {WRITE_STEP}\n")
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == [target.name]


def test_interrupt_leaves_no_partial_file(large: Path, tmp_path: Path) -> None:
    arguments = ["export", "--db", str(large), "--session", "s1", "--format", "json", "--out", str(tmp_path)]
    running = subprocess.Popen([*CCINDEX, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while running.poll() is None:
        if any((tmp_path / name).stat().st_size for name in os.listdir(tmp_path) if name.startswith(".ccindex-")):
            running.send_signal(signal.SIGINT)
            break
    stdout, stderr = running.communicate(timeout=60)
    assert (running.returncode, stdout, stderr) == (130, "", "")
    assert os.listdir(tmp_path) == []


def test_memory_does_not_grow_with_the_session_size(large: Path, tmp_path: Path) -> None:
    script = (
        "import resource, sys\n"
        "from ccindex.cli.app import app\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"call = lambda *words: app(['export', '--db', {str(large)!r}, '--out', {str(tmp_path)!r}, *words], "
        "standalone_mode=False)\n"
        "call('--session', 's1', '--format', 'tree')\n"
        "before = peak()\n"
        "for form in ('json', 'dot', 'timeline', 'markdown'): call('--session', 's1', '--format', form)\n"
        "print(peak() - before, file=sys.stderr)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (tmp_path / "transcript_s1.json").stat().st_size > 50_000_000
    assert (tmp_path / "transcript_s1.md").stat().st_size > 40_000_000
    assert int(result.stderr) < 20_000  # kB


def test_ids_with_any_characters_become_files_inside_the_folder(tmp_path: Path) -> None:
    ids = ["../../x", "..", "/etc/x", "a\nb", "a\0b", "x" * 300, "😀", "s1", "S1", "a/b", "a_b", "é", "e\u0301"]
    for number, session_id in enumerate(ids):
        write(tmp_path / "p" / f"{number}.jsonl", line(f"u{number}", sessionId=session_id))
    db, out = tmp_path / "x.db", tmp_path / "deep" / "er" / "out"
    index(db, tmp_path / "p")
    assert len(export(db, out, "--all", "--format", "timeline")) == len(ids)
    assert {name for name in os.listdir(tmp_path) if not name.startswith("x.db")} == {"deep", "p"}
    assert os.listdir(tmp_path / "deep") == ["er"]
    assert os.listdir(tmp_path / "deep" / "er") == ["out"]
    assert len({path.name.casefold() for path in out.iterdir()}) == len(ids)
    texts = sorted(path.read_text().rsplit("say ", 1)[1].strip() for path in out.iterdir())
    assert texts == sorted(f"u{number}" for number in range(len(ids)))


def test_output_folder_name_need_not_be_utf8(example: Path, tmp_path: Path) -> None:
    out = os.fsencode(tmp_path) + b"/caf\xe9"
    arguments = ["export", "--db", str(example), "--session", "main", "--format", "tree", "--out", os.fsdecode(out)]
    assert run_json(*arguments)["files"][0]["path"] == f"{tmp_path}/caf\\xe9/tree_main.txt"
    assert os.listdir(out) == [b"tree_main.txt"]
    assert ccindex(*arguments).stdout == f"{tmp_path}/caf\\xe9/tree_main.txt\n"


def test_hostile_text_is_escaped_in_every_format(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    [(count,)] = ask(db, "select count(*) from v1_entries")
    for form in NAMES:
        [name] = export(db, tmp_path / form, "--all", "--format", form)
        text = (tmp_path / form / name).read_text(encoding="utf-8")
        if form == "json":
            assert len(json.loads(text)["entries"]) == count
            continue
        assert all(character.isprintable() or character == "\n" for character in text)
        if form == "dot":
            assert len(parse_dot(text.splitlines()).nodes) == count + 1  # plus the ghost


def test_help_shows_examples_verbatim() -> None:
    shown = ccindex("export", "--help").stdout
    assert "\n    ccindex export --session 51ea --format dot --out graphs\n" in shown
    assert "\\b" not in shown
