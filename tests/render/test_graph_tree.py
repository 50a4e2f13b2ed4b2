"""The tree of entries as text: rulers, marks, notes, width and indentation, on small transcripts and long ones."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from ccindex.query.graph_queries import load_rows_with_blocks, load_tree
from ccindex.query.ids import Target
from ccindex.render.tree import graph_tree_lines
from ccindex.secrets.masking import mask
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import line

LONG = 50_000
AGENT: dict[str, Any] = {"isSidechain": True, "agentId": "a1b2"}


def said(uuid: str, parent: str | None, second: int, text: str | None = None, **keys: Any) -> str:
    """A prompt at a second of one hour."""
    stamp = f"2026-03-01T09:{second // 60:02}:{second % 60:02}.000Z"
    return line(
        uuid, parent=parent, timestamp=stamp, **{"message": {"role": "user", "content": text or f"say {uuid}"}} | keys
    )


def answered(uuid: str, parent: str, second: int, *blocks: dict[str, Any], **keys: Any) -> str:
    """An answer at a second of one hour."""
    message = {"role": "assistant", "id": f"m-{uuid}", "content": [*blocks] or [{"type": "text", "text": uuid}]}
    return said(uuid, parent, second, type="assistant", message=message, **keys)


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Bash", "input": {"command": f"run {name}"}}


def returned(uuid: str, parent: str, second: int, name: str) -> str:
    block = {"type": "tool_result", "tool_use_id": name, "content": "fine"}
    return said(uuid, parent, second, message={"role": "user", "content": [block]})


def drawn(db: Path, target: Target, width: int | None = None, **files: Iterable[str]) -> list[str]:
    """Index files given as name=lines, and draw a tree of them."""
    for name, lines in files.items():
        write(db.parent / "p" / "-w" / f"{name}.jsonl", *lines)
    index(db, db.parent / "p")
    with reading(db) as connection:
        rows = load_rows_with_blocks(connection, load_tree(connection, target))
        lines_ = graph_tree_lines(rows, width=width, mask=mask)
        return ["".join(text for _, text in one.spans).rstrip() for one in lines_]


def test_branches_are_marked_and_a_single_child_is_not_indented(db: Path) -> None:
    assert drawn(
        db,
        Target("session", "s1"),
        s1=[
            *(said("u1", None, 1), answered("a1", "u1", 2)),
            *(said("u2", "a1", 3), answered("a2", "u2", 4)),
            *(said("u3", "a1", 5), answered("a3", "u3", 6), said("u4", "a3", 7), said("u5", "a3", 8)),
        ],
    ) == [
        "user       u1  say u1",
        "assistant  a1  a1",
        "├─ user       u2  say u2  [ABANDONED]",
        "│  assistant  a2  a2",
        "└─ user       u3  say u3  [ACTIVE]",
        "   assistant  a3  a3",
        "   ├─ user       u4  say u4  [ABANDONED]",
        "   └─ user       u5  say u5  [ACTIVE]",
    ]


def test_below_an_abandoned_branch_everything_is_abandoned(db: Path) -> None:
    text = drawn(
        db,
        Target("session", "s1"),
        s1=[said("u1", None, 1), said("u2", "u1", 2), said("u3", "u2", 3), said("u4", "u2", 4), said("u5", "u1", 5)],
    )
    assert [one.split()[-1] for one in text[1:]] == ["[ABANDONED]"] * 3 + ["[ACTIVE]"]


def test_a_stitched_fork_has_no_marks_and_goes_on_at_its_indentation(db: Path) -> None:
    assert drawn(
        db,
        Target("session", "s1"),
        s1=[
            *(said("u1", None, 1), answered("a1", "u1", 2, call("t1"))),
            *(returned("r1", "a1", 3, "t1"), answered("a2", "a1", 4, call("t2"))),
            *(returned("r2", "a2", 5, "t2"), answered("a3", "r2", 6)),
        ],
    ) == [
        "user       u1  say u1",
        "assistant  a1  Bash: run t1",
        "├─ user       r1  ok Bash: fine",
        "assistant  a2  Bash: run t2",
        "user       r2  ok Bash: fine",
        "assistant  a3  a3",
    ]


def test_agents_other_sessions_replays_and_further_roots_are_named(db: Path) -> None:
    again: dict[str, Any] = {"message": {"role": "user", "content": "again"}}
    s1 = [
        *(said("u1", None, 1), said("g1", "u1", 2, **AGENT), answered("g2", "g1", 3, **AGENT)),
        *(said("u2", "u1", 4, **again), said("u3", "u1", 4, **again), said("w1", "lost", 9)),
    ]
    s2 = [said("v1", "u2", 6, sessionId="s2")]
    assert drawn(db, Target("session", "s1"), s1=s1, s2=s2) == [
        "user       u1  say u1",
        "├─ user       g1  (agent a1b2) say g1",
        "│  assistant  g2  g2",
        "├─ user       u3  (set aside: replay) again",
        "user       u2  again",
        "",
        "user       w1  (orphan) say w1",
    ]
    assert drawn(db, Target("entry", "u2")) == ["user       u2  again", "└─ user       v1  (session s2) say v1"]


def test_secrets_are_masked_before_words_are_cut(db: Path) -> None:
    secret = "ghp_" + "aZ3x" * 9
    [text] = drawn(db, Target("session", "s1"), width=40, s1=[said("u1", None, 1, f"take {secret} please")])
    assert text == "user       u1  take ghp_… please"


@pytest.mark.parametrize("width", [40, 60, 120])
def test_no_line_is_wider_than_asked_for(db: Path, width: int) -> None:
    nested = [said("g0", None, 0, type="x" * 300)]
    for at in range(1, 40):
        keys: dict[str, Any] = {"isSidechain": True, "agentId": "word-" * 20 + str(at)}
        nested += [said(f"g{at}", f"g{at - 1}", at, "漢字 " * 60, **keys), said(f"h{at}", f"g{at - 1}", at, **keys)]
    text = drawn(db, Target("session", "s1"), width, s1=nested)
    assert len(text) == 79
    assert max(map(cell_len, text)) <= width


@pytest.mark.parametrize("width", [None, 40, 80])
def test_a_long_chain_stays_at_the_margin(db: Path, width: int | None) -> None:
    links = zip(range(LONG), [None, *range(LONG)], strict=False)
    chain = (said(f"u{at}", None if parent is None else f"u{parent}", 0) for at, parent in links)
    text = drawn(db, Target("session", "s1"), width, s1=chain)
    assert len(text) == LONG
    assert {one[:4] for one in text} == {"user"}


@pytest.mark.parametrize(("width", "most"), [(None, 200), (60, 60)])
def test_deep_nesting_is_shown_as_a_number(db: Path, width: int | None, most: int) -> None:
    links = zip(range(1_500), [None, *range(1_500)], strict=False)
    nested = (
        said(f"g{at}", None if parent is None else f"g{parent}", 0, isSidechain=True, agentId=f"k{at}")
        for at, parent in links
    )
    text = drawn(db, Target("session", "s1"), width, s1=nested)
    assert len(text) == 1_500
    assert max(map(cell_len, text)) <= most
    assert text[-1].startswith("(1,498 deep)    └─ user       g1499")
