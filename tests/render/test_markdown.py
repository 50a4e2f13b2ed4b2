"""A conversation path as a page of Markdown, read back by a real parser: its header, its headings, what it folds."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt  # rich depends on it
from markdown_it.token import Token

from ccindex.query.export import ExportPage, pages_through
from ccindex.query.ids import Target
from ccindex.query.paths import path_totals
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import LineStart, TranscriptEntry, TranscriptItem, load_transcript
from ccindex.render.markdown import markdown_lines
from ccindex.render.phrases import continues_answer, marks, speaker, start_line
from ccindex.render.text import flat, printable
from ccindex.secrets.masking import no_mask
from ccindex.store.connection import reading
from tests.making.example_indexes import make_hostile, make_world
from tests.making.files import write
from tests.making.folders import SAMPLE
from tests.making.indexes import ask, broken, index, one
from tests.making.transcripts import (
    agent_file,
    assistant,
    at,
    line,
    progress,
    record,
    text_block,
    thinking_block,
    token_usage,
    tool_result,
    tool_use,
    user,
)

TITLE = "# CLAUDE CODE SESSION TRANSCRIPT"
COMPACTED = "**Contains Compact Operation(s)** - Full conversation including compacted segments"


def items(connection: sqlite3.Connection, page: ExportPage) -> Iterator[TranscriptItem]:
    order = ReadingOrder(AgentPlacement.INSIDE if page.agents else AgentPlacement.SKIPPED)
    return load_transcript(connection, Target("path", page.path.path_id), order)


def markdown(connection: sqlite3.Connection, page: ExportPage) -> Iterator[str]:
    return markdown_lines(page, path_totals(connection, page.path), items(connection, page), mask=no_mask)


def pages(db: Path, session: str = "s1", *, agents: bool = True) -> list[str]:
    """Every path through a session as a page."""
    with reading(db) as connection:
        found = pages_through(connection, session, agents=agents)
        return ["\n".join(markdown(connection, transcript)) + "\n" for transcript in found]


def page(db: Path, session: str = "s1", *, agents: bool = True) -> str:
    [only] = pages(db, session, agents=agents)
    return only


def header(text: str) -> list[str]:
    """The lines before the first rule."""
    return text.partition("\n\n---\n")[0].split("\n")


def title(said: str, session: str = "s1") -> str:
    return record(type="custom-title", customTitle=said, sessionId=session)


def talk(session: str, *texts: str) -> list[str]:
    """A talk in which each text is a prompt, each answered; and one more exchange behind them."""
    rows, before = [title("plain", session)], None
    for number, text in enumerate((*texts, "the last words")):
        asked, replied = f"{session}-u{number}", f"{session}-a{number}"
        rows.append(user(asked, 2 * number, text, parent=before, sessionId=session))
        rows.append(assistant(replied, 2 * number + 1, text_block("fine"), parent=asked, sessionId=session))
        before = replied
    return rows


Heading = tuple[int, str, str]


def headings(text: str) -> list[Heading]:
    """Headings that are in no list or the like: how many quotations deep, which tag, what they say."""
    found = []
    containers: list[str] = []
    tokens = MarkdownIt().parse(text)
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            assert set(containers) <= {"blockquote"}
            found.append((len(containers), token.tag, plain(content)))
        elif token.type.endswith(("quote_open", "list_open", "item_open")):
            containers.append(token.tag)
        elif token.type.endswith(("quote_close", "list_close", "item_close")):
            containers.pop()
    return found


def plain(token: Token) -> str:
    """What a reader sees."""
    return "".join(child.content for child in token.children or ())


def expected_headings(connection: sqlite3.Connection, transcript: ExportPage) -> Iterator[Heading]:
    yield (0, "h1", TITLE.removeprefix("# "))
    before: TranscriptEntry | None = None
    for event in items(connection, transcript):
        if isinstance(event, LineStart):
            before = None
            if not event.is_return:
                yield (event.depth, "h2", flat(start_line(event)))
        elif isinstance(event, TranscriptEntry):
            if event.label is not None:
                yield (event.depth, "h3", flat(event.label))
            elif not continues_answer(event, before):
                yield (event.depth, "h3", flat(speaker(event) + marks(event)))
            before = event


def assert_well_formed(db: Path, session: str = "s1") -> None:
    """Every heading stands where it should and no other does; whatever is folded is folded up again."""
    for agents in (False, True):
        with closing(sqlite3.connect(db)) as connection:
            for transcript in pages_through(connection, session, agents=agents):
                text = "\n".join(markdown(connection, transcript)) + "\n"
                assert headings(text) == list(expected_headings(connection, transcript))
                assert_folded_up(text)


def assert_folded_up(text: str) -> None:
    marks = [
        mark
        for token in MarkdownIt().parse(text)
        for piece in (token, *(token.children or ()))
        if piece.type in ("html_block", "html_inline")
        for mark in re.findall(r"</?details>", piece.content)
    ]
    assert marks[::2] == ["<details>"] * (len(marks) // 2)
    assert marks[1::2] == ["</details>"] * (len(marks) // 2)
    assert len(marks) % 2 == 0


def fences(text: str) -> list[str]:
    return [token.content for token in MarkdownIt().parse(text) if token.type == "fence"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("markdown") / "x.db"
    index(db, SAMPLE)
    return db


def test_the_header_of_a_single_path(db: Path, project: Path) -> None:
    message = {"usage": token_usage(output=100)}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        assistant(
            "a1", 1, tool_use("t1", "Bash"), tool_use("t2", "Bash"), message={"id": "m1", **message}, parent="u1"
        ),
        assistant("a2", 2, text_block("x"), message={"id": "m1", **message}, parent="a1"),
        assistant("a3", 61, text_block("y"), message={"id": "m2", **message}, parent="a2"),
    )
    index(db, project)
    assert header(page(db)) == [
        TITLE,
        "",
        "Session ID: s1",
        "Path: 1 of 1",
        "Status: ACTIVE",
        "Total Messages: 4",
        "Project: -w",
        "Time: 2026-03-01 09:00 to 09:01 UTC",
        "Tool Calls: 2",
        "Responses: 2",
        "Output Tokens: 200",
        "Estimated Cost: $0.0030",
    ]


def test_the_headers_of_several_paths_one_abandoned_and_one_compacted(tmp_path: Path) -> None:
    abandoned, active = pages(make_world(tmp_path), "main")
    assert header(abandoned)[:7] == [
        TITLE,
        "",
        "Session ID: main",
        "Path: 1 of 2",
        "Status: ABANDONED",
        "Fork Point: a2",
        "Total Messages: 6",
    ]
    assert header(active)[:7] == [
        TITLE,
        "",
        "Session ID: main",
        "Path: 2 of 2",
        "Status: ACTIVE",
        COMPACTED,
        "Total Messages: 9",
    ]
    assert COMPACTED not in abandoned
    assert "Fork Point" not in active


def test_what_a_header_counts_is_what_the_views_count(sample: Path) -> None:
    with reading(sample) as connection:
        for (session,) in ask(sample, "select session_id from v1_sessions"):
            for transcript in pages_through(connection, session, agents=True):
                told = dict(
                    text.split(": ", 1) for text in markdown(connection, transcript) if re.match(r"[A-Z].*: ", text)
                )
                uuids = _uuids(sample, transcript.path.leaf_uuid)
                assert int(told["Total Messages"]) == len(uuids)
                assert told["Session ID"] == session
                calls = f"select count(*) from v1_blocks where type = 'tool_use' and uuid in {uuids}"
                assert int(told["Tool Calls"]) == one(sample, calls)
                spent = (
                    "select count(*), sum(output_tokens), sum(est_cost_usd) from v1_responses where message_id in "
                    f"(select message_id from v1_messages where uuid in {uuids})"
                )
                [(responses, tokens, cost)] = ask(sample, spent)
                assert (int(told["Responses"]), int(told["Output Tokens"])) == (responses, tokens)
                assert float(told["Estimated Cost"].removeprefix("$")) == pytest.approx(cost, abs=0.0051)


def _uuids(db: Path, leaf: str) -> tuple[str, ...]:
    """The entries of the path that ends at a leaf, going up along lines."""
    lines = {row[0]: row[1:] for row in ask(db, "select line_id, parent_line_id, attachment_uuid from v1_lines")}
    [(line_id, position)] = ask(db, "select line_id, position from v1_entries where uuid = ?", leaf)
    found: list[str] = []
    while line_id is not None:
        of_line = "select uuid from v1_line_entries where line_id = ? and position <= ?"
        found += [uuid for (uuid,) in ask(db, of_line, line_id, position)]
        line_id, attachment = lines[line_id]
        position = attachment and one(db, "select position from v1_entries where uuid = ?", attachment)
    return tuple(found)


def test_every_heading_of_the_sample_stands_where_it_should(sample: Path) -> None:
    for (session,) in ask(sample, "select session_id from v1_sessions"):
        assert_well_formed(sample, session)


@pytest.mark.parametrize("session", ["main", "next", "twin"])
def test_every_heading_of_a_world_of_branches_and_agents_stands_where_it_should(tmp_path: Path, session: str) -> None:
    assert_well_formed(make_world(tmp_path), session)


# what does not reach beyond its own end as Markdown goes, or is kept from it
CONTAINED = [
    "```",
    "```python\nx = 1",
    "~~~",
    "~~~~\n~~~",
    "`````\n```\n",
    "   ```\n",
    "    ```",
    "\t```",
    "~~~ ~~~",
    "~~~ a`b",
    "> ```\ncode",
    "```\n</details>\n<!--\n```",
    "</details>",
    "<details><summary>x",
    "<DETAILS>",
    "<!--",
    "<!-- -->",
    "<![CDATA[",
    "<?php",
    "<pre>",
    "<script>\n",
    "<style>",
    "<textarea>",
    "<div>",
    "<x-y",
    "<a href='",
    "[x]: <",
    "text\n",
    "- a\n  - b",
    "> quoted",
    "a\0b",
    "a\r\nb\r\n```\r\n",
    "$$\n",
    "|a|b|\n|-|-|",
    "*",
    "\\",
    "`",
    "``",
    "&lt;details&gt;",
    "x" * 1_000_000,
    "\u2028### You",
    "a\x0b### You",
]


REACHING = [
    "```npm install```",
    "``` a`b",
    "```x```\n<!--",
    "```\ncode\n```\u00a0",
    "<!doctype x",
    "<!A",
    "- x\n   ```\n   code",
    "- x\n  ```\n  code\n```",
    "1. a\n\n   ```\n",
    "<div>\n```\n\ntext",
]


TEXTS = CONTAINED + REACHING
TAB = CONTAINED.index("\t```")


def folded(session: str, text: str) -> list[str]:
    """The text thought, asked for, given back, and given back to nobody."""
    asked = [thinking_block(text), tool_use("t1", "Bash", command=text)]
    keys: dict[str, Any] = {"sessionId": session}
    return [
        user(f"{session}-u1", 0, "go", **keys),
        assistant(f"{session}-a1", 1, *asked, parent=f"{session}-u1", **keys),
        user(f"{session}-r1", 2, tool_result("t1", text), parent=f"{session}-a1", **keys),
        user(f"{session}-u2", 3, tool_result("t9", text), parent=f"{session}-r1", **keys),
        assistant(f"{session}-a2", 4, text_block("done"), parent=f"{session}-u2", **keys),
    ]


def write_called(project: Path, session: str, text: str) -> None:
    """The text asked of a subagent, and said by it."""
    keys: dict[str, Any] = {"sessionId": session}
    inside: dict[str, Any] = {"isSidechain": True, "agentId": "g1", **keys}
    write(
        project / f"{session}.jsonl",
        user(f"{session}-u1", 0, "go", **keys),
        assistant(
            f"{session}-a1",
            1,
            tool_use("t1", "Task", subagent_type="scout", prompt=text),
            parent=f"{session}-u1",
            **keys,
        ),
        user(f"{session}-r1", 9, tool_result("t1"), parent=f"{session}-a1", toolUseResult={"agentId": "g1"}, **keys),
        assistant(f"{session}-a2", 10, text_block("done"), parent=f"{session}-r1", **keys),
    )
    said = [text_block(text), tool_use("t2", "Bash", command=text)]
    agent_file(
        project,
        "g1",
        user(f"{session}-k1", 2, text, **inside),
        assistant(f"{session}-k2", 3, *said, parent=f"{session}-k1", **inside),
        session=session,
    )


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four sessions for each text: said, said among others, folded away, and said by a subagent."""
    folder = tmp_path_factory.mktemp("odd").resolve()
    project = folder / "projects" / "-w"
    for number, text in enumerate(TEXTS):
        write(project / f"alone{number}.jsonl", *talk(f"alone{number}", text))
        write(project / f"among{number}.jsonl", *talk(f"among{number}", f"say\n\n{text}", text, f"{text}\n\nmore"))
        write(project / f"folded{number}.jsonl", *folded(f"folded{number}", text))
        if len(text) < 1_000:
            write_called(project, f"called{number}", text)
    index(folder / "x.db", project)
    assert broken(folder / "x.db") == {}
    return folder / "x.db"


def numbered(texts: list[str]) -> pytest.MarkDecorator:
    """Parameters that are known by the text and give its number."""
    return pytest.mark.parametrize("number", [*map(TEXTS.index, texts)], ids=[ascii(text)[:30] for text in texts])


@numbered(CONTAINED)
def test_what_is_said_cannot_reach_beyond_its_own_end(odd: Path, number: int) -> None:
    assert_well_formed(odd, f"alone{number}")
    assert_well_formed(odd, f"among{number}")


@numbered(REACHING)
def test_nothing_else_that_is_said_reaches_beyond_its_own_end(odd: Path, number: int) -> None:
    assert_well_formed(odd, f"alone{number}")


@numbered(TEXTS)
def test_what_is_folded_away_stands_there_as_it_was(odd: Path, number: int) -> None:
    assert_well_formed(odd, f"folded{number}")
    shown = printable(TEXTS[number])
    bare = printable(TEXTS[number].replace("\r\n", "\n").strip("\r\n")) or "(nothing)"
    assert fences(page(odd, f"folded{number}")) == [f"{shown}\n", f"{shown}\n", f"{bare}\n", f"{bare}\n"]


@numbered([text for text in CONTAINED if len(text) < 1_000 and "\t" not in text and "&" not in text])
def test_an_agents_words_stay_in_its_quotation(odd: Path, number: int) -> None:
    assert_well_formed(odd, f"called{number}")
    deep = [text for depth, _, text in headings(page(odd, f"called{number}")) if depth == 1]
    assert deep[1:] == ["Claude", "Agent scout"]


def test_a_tab_before_a_fence_in_a_quotation_reaches_nowhere(odd: Path) -> None:
    assert_well_formed(odd, f"called{TAB}")


TITLES = [
    "*a* _b_ `c` [x](y) ![z](w)",
    "# not a heading #",
    "<b>bold</b> <!-- -->",
    "a | b ~~c~~",
    "back\\slash \\* \\",
    "1. one",
    "- dash",
    "a\nb",
    "http://example.com/_x_",
    "<http://example.com>",
]


@pytest.mark.parametrize("said", TITLES)
def test_a_title_says_what_it_says_whatever_markdown_makes_of_its_signs(db: Path, project: Path, said: str) -> None:
    write(project / "s1.jsonl", title(said), user("u1", 0, "go"))
    index(db, project)
    shown = " ".join(said.split())
    assert headings(page(db))[1] == (0, "h2", f"Session s1 • {shown}")
    assert_well_formed(db)


@pytest.mark.parametrize("said", ["&lt;b&gt;", "&amp;", "a &copy; b"])
def test_a_title_with_entities_says_what_it_says(db: Path, project: Path, said: str) -> None:
    write(project / "s1.jsonl", title(said), user("u1", 0, "go"))
    index(db, project)
    assert headings(page(db))[1] == (0, "h2", f"Session s1 • {said}")


@pytest.mark.parametrize("key", ["- a", "+ a", "1. a", "1) a"])
def test_the_name_of_what_a_call_was_given_says_what_it_says(db: Path, project: Path, key: str) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, tool_use("t1", "X", **{key: "v"}), parent="u1"))
    index(db, project)
    tokens = MarkdownIt().parse(page(db))
    assert f"{key}:" in [plain(token) for token in tokens if token.type == "inline"]
    assert not [token for token in tokens if token.type.endswith("list_open")]


@pytest.mark.parametrize("name", ["a<b>&\"'", "</summary></details>", "x\ny", "`z`"])
def test_the_summary_of_a_call_is_html_that_says_what_it_says(db: Path, project: Path, name: str) -> None:
    write(
        project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, tool_use("t1", name, command=name), parent="u1")
    )
    index(db, project)
    assert_well_formed(db)
    [block] = [token.content for token in MarkdownIt().parse(page(db)) if "<details>" in token.content]
    assert re.fullmatch(r"<details><summary>[^<>\n]*</summary>\n", block)


@pytest.mark.parametrize("session", ["s\n\n# You", "s\n\n### Claude", "s\n\n```", "*a*"])
def test_a_session_id_cannot_forge_a_part_of_the_page(db: Path, project: Path, session: str) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go", sessionId=session))
    index(db, project)
    assert_well_formed(db, session)
    shown = next(token for token in MarkdownIt().parse(page(db, session)) if "Session ID" in token.content)
    assert plain(shown).startswith(f"Session ID: {flat(session)}")


def test_hostile_content_of_all_kinds_keeps_its_place(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    assert broken(db) == {}
    text = "".join(pages(db, one(db, "select session_id from v1_sessions")))
    assert all(sign.isprintable() for row in text.split("\n") for sign in row.replace("\t", ""))


def test_a_compaction_is_a_heading(db: Path, project: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary", "message": None}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        line("b1", timestamp=at(5), logicalParentUuid="u1", compactMetadata={"preTokens": 38_000}, **boundary),
        user("y1", 6, "so far", parent="b1", isCompactSummary=True),
    )
    index(db, project)
    assert headings(page(db))[2:] == [
        (0, "h3", "You"),
        (0, "h3", "Conversation compacted (38k tokens) • 2026-03-01 09:00:06"),
        (0, "h3", "Summary"),
    ]
    assert header(page(db))[5] == COMPACTED


def test_what_is_left_out_is_counted_at_the_end(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        progress("p1", 1, "g1", "t1", parent="u1"),
        progress("p2", 2, "g1", "t1", parent="p1"),
        assistant("a1", 3, text_block("done"), parent="p2"),
    )
    index(db, project)
    assert page(db).endswith("\n---\n\n*2 entries beside the talk: `ccindex show --all`*\n")


def test_what_is_left_out_is_counted_outside_the_last_quotation(db: Path, project: Path) -> None:
    keys: dict[str, Any] = {"isSidechain": True, "agentId": "g1"}
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        progress("p1", 1, "g9", "t1", parent="u1"),
        assistant("a1", 2, tool_use("t1", "Task"), parent="p1"),
        user("r1", 9, tool_result("t1"), parent="a1", toolUseResult={"agentId": "g1"}),
    )
    agent_file(project, "g1", user("k1", 3, "look", **keys))
    index(db, project)
    assert page(db).endswith("\n*1 entry beside the talk: `ccindex show --all`*\n")


def test_a_block_without_a_type_is_folded_away_like_any_other(db: Path, project: Path) -> None:
    content = [{"odd": "thing"}, {"type": [], "text": "said"}]
    write(project / "s1.jsonl", line("a1", type="assistant", message={"role": "assistant", "content": content}))
    index(db, project)
    assert page(db).count("<details><summary>no type</summary>") == 2
    assert "None" not in page(db)
