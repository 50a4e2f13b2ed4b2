"""Markdown pages, checked with a Markdown parser: header, headings and folded sections."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt  # installed because rich depends on it
from markdown_it.token import Token

from ccindex.query.export import ExportPage, pages_through
from ccindex.query.ids import Target
from ccindex.query.paths import path_totals
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.transcript import LineStart, TranscriptEntry, TranscriptItem, load_transcript
from ccindex.render.markdown import markdown_lines
from ccindex.render.phrases import continues_answer, heading_notes, speaker, start_line
from ccindex.render.text import escape_controls, one_line
from ccindex.secrets.masking import no_mask
from ccindex.store.connection import reading
from tests.making.example_indexes import make_example, make_hostile
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
    """Return the page of every path through a session."""
    with reading(db) as connection:
        transcripts = pages_through(connection, session, agents=agents)
        return ["\n".join(markdown(connection, transcript)) + "\n" for transcript in transcripts]


def page(db: Path, session: str = "s1", *, agents: bool = True) -> str:
    [text] = pages(db, session, agents=agents)
    return text


def header(text: str) -> list[str]:
    """Return the lines before the first horizontal rule."""
    return text.partition("\n\n---\n")[0].split("\n")


def title(text: str, session: str = "s1") -> str:
    return record(type="custom-title", customTitle=text, sessionId=session)


def conversation(session: str, *texts: str) -> list[str]:
    """Return a conversation with one answered prompt per text, and one more exchange at the end."""
    rows, before = [title("plain", session)], None
    for number, text in enumerate((*texts, "the last prompt")):
        prompt, reply = f"{session}-u{number}", f"{session}-a{number}"
        rows.append(user(prompt, 2 * number, text, parent=before, sessionId=session))
        rows.append(assistant(reply, 2 * number + 1, text_block("fine"), parent=prompt, sessionId=session))
        before = reply
    return rows


Heading = tuple[int, str, str]


def headings(text: str) -> list[Heading]:
    """Return the quotation depth, tag and text of every heading. Fail if a heading is inside a list."""
    result = []
    containers: list[str] = []
    tokens = MarkdownIt().parse(text)
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            assert set(containers) <= {"blockquote"}
            result.append((len(containers), token.tag, visible_text(content)))
        elif token.type.endswith(("quote_open", "list_open", "item_open")):
            containers.append(token.tag)
        elif token.type.endswith(("quote_close", "list_close", "item_close")):
            containers.pop()
    return result


def visible_text(token: Token) -> str:
    """Return the text that a reader sees."""
    return "".join(child.content for child in token.children or ())


def expected_headings(connection: sqlite3.Connection, transcript: ExportPage) -> Iterator[Heading]:
    yield (0, "h1", TITLE.removeprefix("# "))
    before: TranscriptEntry | None = None
    for event in items(connection, transcript):
        if isinstance(event, LineStart):
            before = None
            if not event.is_return:
                yield (event.depth, "h2", one_line(start_line(event)))
        elif isinstance(event, TranscriptEntry):
            if event.label is not None:
                yield (event.depth, "h3", one_line(event.label))
            elif not continues_answer(event, before):
                yield (event.depth, "h3", one_line(speaker(event) + heading_notes(event)))
            before = event


def assert_well_formed(db: Path, session: str = "s1") -> None:
    """Check that every page of a session has exactly the expected headings and that all folded sections are closed."""
    for agents in (False, True):
        with closing(sqlite3.connect(db)) as connection:
            for transcript in pages_through(connection, session, agents=agents):
                text = "\n".join(markdown(connection, transcript)) + "\n"
                assert headings(text) == list(expected_headings(connection, transcript))
                assert_sections_closed(text)


def assert_sections_closed(text: str) -> None:
    tags = [
        tag
        for token in MarkdownIt().parse(text)
        for piece in (token, *(token.children or ()))
        if piece.type in ("html_block", "html_inline")
        for tag in re.findall(r"</?details>", piece.content)
    ]
    assert tags[::2] == ["<details>"] * (len(tags) // 2)
    assert tags[1::2] == ["</details>"] * (len(tags) // 2)
    assert len(tags) % 2 == 0


def fences(text: str) -> list[str]:
    return [token.content for token in MarkdownIt().parse(text) if token.type == "fence"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    db = tmp_path_factory.mktemp("markdown") / "x.db"
    index(db, SAMPLE)
    return db


def test_header_shows_ids_totals_and_cost_of_the_path(db: Path, project: Path) -> None:
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


def test_header_shows_whether_a_path_is_abandoned_or_compacted(tmp_path: Path) -> None:
    abandoned, active = pages(make_example(tmp_path), "main")
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


def test_totals_in_the_header_match_the_views(sample: Path) -> None:
    with reading(sample) as connection:
        for (session,) in ask(sample, "select session_id from v1_sessions"):
            for transcript in pages_through(connection, session, agents=True):
                header_values = dict(
                    text.split(": ", 1) for text in markdown(connection, transcript) if re.match(r"[A-Z].*: ", text)
                )
                uuids = _uuids(sample, transcript.path.leaf_uuid)
                assert int(header_values["Total Messages"]) == len(uuids)
                assert header_values["Session ID"] == session
                calls = f"select count(*) from v1_blocks where type = 'tool_use' and uuid in {uuids}"
                assert int(header_values["Tool Calls"]) == one(sample, calls)
                usage_query = (
                    "select count(*), sum(output_tokens), sum(est_cost_usd) from v1_responses where message_id in "
                    f"(select message_id from v1_messages where uuid in {uuids})"
                )
                [(responses, tokens, cost)] = ask(sample, usage_query)
                assert (int(header_values["Responses"]), int(header_values["Output Tokens"])) == (responses, tokens)
                assert float(header_values["Estimated Cost"].removeprefix("$")) == pytest.approx(cost, abs=0.0051)


def _uuids(db: Path, leaf: str) -> tuple[str, ...]:
    """Return the entries of the path that ends at the given leaf, starting with the leaf's line."""
    lines = {row[0]: row[1:] for row in ask(db, "select line_id, parent_line_id, attachment_uuid from v1_lines")}
    [(line_id, position)] = ask(db, "select line_id, position from v1_entries where uuid = ?", leaf)
    uuids: list[str] = []
    while line_id is not None:
        query = "select uuid from v1_line_entries where line_id = ? and position <= ?"
        uuids += [uuid for (uuid,) in ask(db, query, line_id, position)]
        line_id, attachment = lines[line_id]
        position = attachment and one(db, "select position from v1_entries where uuid = ?", attachment)
    return tuple(uuids)


def test_sample_pages_have_the_expected_headings(sample: Path) -> None:
    for (session,) in ask(sample, "select session_id from v1_sessions"):
        assert_well_formed(sample, session)


@pytest.mark.parametrize("session", ["main", "next", "twin"])
def test_pages_with_branches_and_agents_have_the_expected_headings(tmp_path: Path, session: str) -> None:
    assert_well_formed(make_example(tmp_path), session)


# markup that is escaped, or whose effect ends with its paragraph
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


# markup that would affect the text after it
OPEN_ENDED = [
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


TEXTS = CONTAINED + OPEN_ENDED
TAB = CONTAINED.index("\t```")


def folded(session: str, text: str) -> list[str]:
    """Return a session with the text as thinking, as tool input, as a result, and as a result without a call."""
    blocks = [thinking_block(text), tool_use("t1", "Bash", command=text)]
    keys: dict[str, Any] = {"sessionId": session}
    return [
        user(f"{session}-u1", 0, "go", **keys),
        assistant(f"{session}-a1", 1, *blocks, parent=f"{session}-u1", **keys),
        user(f"{session}-r1", 2, tool_result("t1", text), parent=f"{session}-a1", **keys),
        user(f"{session}-u2", 3, tool_result("t9", text), parent=f"{session}-r1", **keys),
        assistant(f"{session}-a2", 4, text_block("done"), parent=f"{session}-u2", **keys),
    ]


def write_agent_session(project: Path, session: str, text: str) -> None:
    """Write a session in which the text is the prompt and the answer of a subagent."""
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
    blocks = [text_block(text), tool_use("t2", "Bash", command=text)]
    agent_file(
        project,
        "g1",
        user(f"{session}-k1", 2, text, **inside),
        assistant(f"{session}-k2", 3, *blocks, parent=f"{session}-k1", **inside),
        session=session,
    )


@pytest.fixture(scope="module")
def unusual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Index up to four sessions per text: the text in one prompt, in several prompts, folded, and in a subagent."""
    folder = tmp_path_factory.mktemp("unusual").resolve()
    project = folder / "projects" / "-w"
    for number, text in enumerate(TEXTS):
        write(project / f"alone{number}.jsonl", *conversation(f"alone{number}", text))
        write(
            project / f"among{number}.jsonl", *conversation(f"among{number}", f"say\n\n{text}", text, f"{text}\n\nmore")
        )
        write(project / f"folded{number}.jsonl", *folded(f"folded{number}", text))
        if len(text) < 1_000:
            write_agent_session(project, f"called{number}", text)
    index(folder / "x.db", project)
    assert broken(folder / "x.db") == {}
    return folder / "x.db"


def numbered(texts: list[str]) -> pytest.MarkDecorator:
    """Parametrize a test by the numbers of the given texts. The start of each text is its test id."""
    return pytest.mark.parametrize("number", [*map(TEXTS.index, texts)], ids=[ascii(text)[:30] for text in texts])


@numbered(CONTAINED)
def test_markup_in_a_message_does_not_affect_the_text_after_it(unusual: Path, number: int) -> None:
    assert_well_formed(unusual, f"alone{number}")
    assert_well_formed(unusual, f"among{number}")


@numbered(OPEN_ENDED)
def test_unclosed_markup_does_not_affect_the_text_after_it(unusual: Path, number: int) -> None:
    assert_well_formed(unusual, f"alone{number}")


@numbered(TEXTS)
def test_folded_text_is_shown_verbatim(unusual: Path, number: int) -> None:
    assert_well_formed(unusual, f"folded{number}")
    shown = escape_controls(TEXTS[number])
    bare = escape_controls(TEXTS[number].replace("\r\n", "\n").strip("\r\n")) or "(no output)"
    assert fences(page(unusual, f"folded{number}")) == [f"{shown}\n", f"{shown}\n", f"{bare}\n", f"{bare}\n"]


@numbered([text for text in CONTAINED if len(text) < 1_000 and "\t" not in text and "&" not in text])
def test_agent_text_stays_in_its_block_quote(unusual: Path, number: int) -> None:
    assert_well_formed(unusual, f"called{number}")
    deep = [text for depth, _, text in headings(page(unusual, f"called{number}")) if depth == 1]
    assert deep[1:] == ["Claude", "Agent scout"]


def test_tab_before_a_fence_in_a_block_quote_does_not_affect_the_text_after_it(unusual: Path) -> None:
    assert_well_formed(unusual, f"called{TAB}")


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


@pytest.mark.parametrize("text", TITLES)
def test_markup_in_a_title_is_escaped(db: Path, project: Path, text: str) -> None:
    write(project / "s1.jsonl", title(text), user("u1", 0, "go"))
    index(db, project)
    shown = " ".join(text.split())
    assert headings(page(db))[1] == (0, "h2", f"Session s1 • {shown}")
    assert_well_formed(db)


@pytest.mark.parametrize("text", ["&lt;b&gt;", "&amp;", "a &copy; b"])
def test_entities_in_a_title_are_escaped(db: Path, project: Path, text: str) -> None:
    write(project / "s1.jsonl", title(text), user("u1", 0, "go"))
    index(db, project)
    assert headings(page(db))[1] == (0, "h2", f"Session s1 • {text}")


@pytest.mark.parametrize("key", ["- a", "+ a", "1. a", "1) a"])
def test_markup_in_an_input_key_is_escaped(db: Path, project: Path, key: str) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, tool_use("t1", "X", **{key: "v"}), parent="u1"))
    index(db, project)
    tokens = MarkdownIt().parse(page(db))
    assert f"{key}:" in [visible_text(token) for token in tokens if token.type == "inline"]
    assert not [token for token in tokens if token.type.endswith("list_open")]


@pytest.mark.parametrize("name", ["a<b>&\"'", "</summary></details>", "x\ny", "`z`"])
def test_html_in_a_tool_name_is_escaped(db: Path, project: Path, name: str) -> None:
    write(
        project / "s1.jsonl", user("u1", 0, "go"), assistant("a1", 1, tool_use("t1", name, command=name), parent="u1")
    )
    index(db, project)
    assert_well_formed(db)
    [block] = [token.content for token in MarkdownIt().parse(page(db)) if "<details>" in token.content]
    assert re.fullmatch(r"<details><summary>[^<>\n]*</summary>\n", block)


@pytest.mark.parametrize("session", ["s\n\n# You", "s\n\n### Claude", "s\n\n```", "*a*"])
def test_session_id_cannot_add_headings_to_the_page(db: Path, project: Path, session: str) -> None:
    write(project / "s1.jsonl", user("u1", 0, "go", sessionId=session))
    index(db, project)
    assert_well_formed(db, session)
    shown = next(token for token in MarkdownIt().parse(page(db, session)) if "Session ID" in token.content)
    assert visible_text(shown).startswith(f"Session ID: {one_line(session)}")


def test_hostile_content_is_escaped(tmp_path: Path) -> None:
    db = make_hostile(tmp_path)
    assert broken(db) == {}
    text = "".join(pages(db, one(db, "select session_id from v1_sessions")))
    assert all(character.isprintable() for row in text.split("\n") for character in row.replace("\t", ""))


def test_compaction_is_a_heading(db: Path, project: Path) -> None:
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


def test_hidden_entries_are_counted_at_the_end(db: Path, project: Path) -> None:
    write(
        project / "s1.jsonl",
        user("u1", 0, "go"),
        progress("p1", 1, "g1", "t1", parent="u1"),
        progress("p2", 2, "g1", "t1", parent="p1"),
        assistant("a1", 3, text_block("done"), parent="p2"),
    )
    index(db, project)
    assert page(db).endswith("\n---\n\n*2 non-conversation entries hidden; `ccindex show --all` shows them*\n")


def test_count_of_hidden_entries_is_outside_the_last_block_quote(db: Path, project: Path) -> None:
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
    assert page(db).endswith("\n*1 non-conversation entry hidden; `ccindex show --all` shows them*\n")


def test_block_without_a_type_is_folded(db: Path, project: Path) -> None:
    content = [{"unknown": "value"}, {"type": [], "text": "hello"}]
    write(project / "s1.jsonl", line("a1", type="assistant", message={"role": "assistant", "content": content}))
    index(db, project)
    assert page(db).count("<details><summary>no type</summary>") == 2
    assert "None" not in page(db)
