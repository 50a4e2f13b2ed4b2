"""Compare docs/semantics.md with the `rule: NAME` tags in code, cases and tests, and run its examples."""

import re
import tokenize
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from ccindex.graph.build import build_graph
from tests.making.dag import collect_outcome, format_outcome, graph
from tests.making.dag.cases import Case
from tests.making.files import write
from tests.making.indexes import ask, index
from tests.making.transcripts import assistant, text_block, tool_result, tool_use, user

_REPOSITORY = Path(__file__).resolve().parents[1]
_TEXT = (_REPOSITORY / "docs" / "semantics.md").read_text(encoding="utf-8")
_CODE_FOLDERS = ("ccindex", "sql")
_SUFFIXES = frozenset({".py", ".sql", ".case", ".dag"})

_RULE = re.compile(r"^### (\w+)$", re.MULTILINE)
# A tag contains one or more rule names, separated by commas. A name is one word in lower case.
_TAG = re.compile(r"\brule: ([a-z_]+(?:, [a-z_]+)*)")
_EXAMPLE = re.compile(r"^```dag\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _rules() -> list[str]:
    return _RULE.findall(_TEXT)


def _tags(*folders: str) -> dict[str, set[str]]:
    """Return the rule names in all tags under the given folders, with the files that contain each name."""
    files_by_name: dict[str, set[str]] = {}
    for path in sorted(path for folder in folders for path in (_REPOSITORY / folder).rglob("*")):
        if path.suffix not in _SUFFIXES:
            continue
        for tag in _TAG.findall(_prose(path)):
            for name in tag.split(", "):
                files_by_name.setdefault(name, set()).add(path.relative_to(_REPOSITORY).as_posix())
    return files_by_name


def _prose(path: Path) -> str:
    """Return the parts of a file that may contain tags: all but a module's code and a case's transcripts."""
    text = path.read_bytes().decode(errors="replace")
    if path.suffix == ".case":
        return text.partition("\n")[0]
    if path.suffix == ".py" and _TAG.search(text):
        tokens = tokenize.generate_tokens(StringIO(text).readline)
        return "\n".join(token.string for token in tokens if token.type in (tokenize.COMMENT, tokenize.STRING))
    return text


def _examples() -> Iterator[tuple[str, Case]]:
    """Yield the examples as cases, each with a name made from its rule and a number."""
    for section in re.split(r"^(?=###? )", _TEXT, flags=re.MULTILINE):
        rule = _RULE.match(section)
        for number, example in enumerate(_EXAMPLE.findall(section), start=1):
            recorded, _, expected = example.partition("---\n")
            name = rule[1] if rule else "text"
            yield f"{name}-{number}", Case(name, recorded, "\n".join(sorted(expected.splitlines())))


def test_rules_have_distinct_names() -> None:
    rules = _rules()
    assert len(set(rules)) == len(rules) > 0


def test_table_of_contents_lists_every_rule_in_order() -> None:
    contents, _, _ = _TEXT.partition("\n## ")
    assert re.findall(r"\[(\w+)\]\(#\1\)", contents) == _rules()


def test_every_rule_has_an_example() -> None:
    sections = re.split(r"^(?=###? )", _TEXT, flags=re.MULTILINE)
    without = [
        rule[1]
        for section in sections
        if (rule := _RULE.match(section))
        and "```dag" not in section
        and not re.search(r"^Example", section, re.MULTILINE)
    ]
    assert without == []


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in _examples()])
def test_example_has_the_stated_outcome(case: Case) -> None:
    assert format_outcome(collect_outcome(build_graph(*graph(case.recorded))), case.kinds) == case.expected


@pytest.mark.parametrize(
    ("text", "is_error", "outcome"),
    [
        ("done", False, "ok"),
        ("no such file", True, "error"),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", True, "refused"),
        ("The user doesn't want to take this action right now.", True, "refused"),
        ("[Request interrupted by user for tool use]", True, "interrupted"),
        (None, False, "pending"),
    ],
)
def test_outcome_of_a_call_depends_on_its_result(
    tmp_path: Path,
    text: str | None,
    is_error: bool,  # noqa: FBT001
    outcome: str,
) -> None:
    """The outcome of a call depends on its result (rule: call_outcome)."""
    entries = [user("u1", 0, text_block("go")), assistant("a1", 1, tool_use("t1", "Bash"), parent="u1")]
    if text is not None:
        entries.append(user("r1", 3, tool_result("t1", text, is_error=is_error), parent="a1"))
    write(tmp_path / "p" / "s1.jsonl", *entries)
    index(tmp_path / "index.db", tmp_path / "p")
    duration = None if text is None else 2_000
    query = "select outcome, duration_ms from v1_tool_pairs"
    assert ask(tmp_path / "index.db", query) == [(outcome, duration)]


def test_response_costs_the_list_price_of_its_tokens(tmp_path: Path) -> None:
    """The cost is estimated from list prices. If the model has no price, the cost is unknown (rule: list_price)."""
    split = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 1_279}
    tokens = {"input_tokens": 1, "output_tokens": 242, "cache_read_input_tokens": 31_795}
    usage = {**tokens, "cache_creation_input_tokens": 1_279, "cache_creation": split}
    models = {"m1": "claude-opus-4-6", "m2": "no-such-model"}
    messages = [{"id": message, "model": model, "usage": usage} for message, model in models.items()]
    entries = [
        assistant(f"a{number}", number, message=message, timestamp="2026-02-24T16:44:14.279Z")
        for number, message in enumerate(messages)
    ]
    write(tmp_path / "p" / "s1.jsonl", *entries)
    index(tmp_path / "index.db", tmp_path / "p")
    query = "select message_id, round(est_cost_usd, 6) from v1_responses order by message_id"
    assert ask(tmp_path / "index.db", query) == [("m1", 0.034743), ("m2", None)]
    query = "select uuid from v1_diagnostics where kind = 'unknown-model'"
    assert ask(tmp_path / "index.db", query) == [("a1",)]


def test_every_tag_refers_to_a_rule() -> None:
    rules = set(_rules())
    unknown = {name: files for name, files in _tags(*_CODE_FOLDERS, "tests").items() if name not in rules}
    assert unknown == {}


def test_every_rule_is_tested() -> None:
    assert sorted(set(_rules()) - _tags("tests").keys()) == []


def test_every_rule_is_implemented() -> None:
    assert sorted(set(_rules()) - _tags(*_CODE_FOLDERS).keys()) == []
