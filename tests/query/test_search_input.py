"""Every search query is accepted, whatever it contains."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccindex.query.lists import Filters
from ccindex.query.search import Hit, search
from ccindex.store.connection import reading
from tests.making.files import write
from tests.making.indexes import index
from tests.making.transcripts import user

_WORDS = " ".join(f"word{n}" for n in range(10_000))
_ODD = [
    *(
        '"',
        '""',
        '"""',
        "(",
        ")",
        "()",
        "(()",
        "*",
        "**",
        "* *",
        "a*b",
        "a**",
        "^",
        "^^a",
        "^ *",
        "'",
        "''",
        "' or 1=1 --",
    ),
    *(
        ":",
        "a:",
        ":a",
        "::",
        "prompt:",
        "rank:x",
        "rowid",
        "search",
        "{",
        "}",
        "{a b}:c",
        "{a} : (",
        "-",
        "- a",
        "-a:b",
    ),
    *("NEAR(", "NEAR(a", "NEAR(a b", "NEAR(a b,", "NEAR(a b, x)", "NEAR(a b, 99999999999999999999)", "NEAR()", "NEAR"),
    *(
        "AND",
        "OR",
        "NOT",
        "a AND",
        "AND a",
        "a AND OR b",
        "NOT a",
        "a NOT",
        "NOT NOT",
        "AND AND AND",
        "a + b",
        "+",
        "a +",
    ),
    *("", " ", "\n\t", "\0", "a\0b", "\0*", "\ud83d", "a \udc00 b", "\ufeff", "\u200b", "\u200b*", "\x1a", "😀", "東*"),
    *(",", ";", "\\", "%", "$", "@", "#", "`", "[", "]", "<", ">", "=", "?", "!", "&", "|", "~", "…", "（", "\uff0a"),  # noqa: RUF001
    *(_WORDS, _WORDS.replace(" ", " OR "), _WORDS.replace(" ", " NOT "), _WORDS.replace(" ", '" "'), _WORDS + ")"),
    *("(" * 5_000, ")" * 5_000, '"' * 9_999, "NEAR(" * 999, "a " + "(a " * 400 + ")" * 400, "^" * 999, "x" * 1_000_000),
    *("a.b " * 10_000, "東" * 10_000, "a* " * 300, "-a " * 300),
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search_input").resolve()
    write(folder / "-w" / "s1.jsonl", user("u1", 1, "a b 東京 word1 near"), user("u2", 2, "and or not", parent="u1"))
    index(folder / "ccindex.db", folder / "-w")
    return folder / "ccindex.db"


def hits(db: Path, query: str) -> list[Hit]:
    with reading(db) as connection:
        return search(connection, query, Filters())


@pytest.mark.parametrize("query", _ODD, ids=range(len(_ODD)))
def test_unusual_query_is_not_an_error(small: Path, query: str) -> None:
    assert isinstance(hits(small, query), list)


@settings(max_examples=200, derandomize=True, database=None, deadline=None)
@given(
    st.one_of(
        st.text(),
        st.text(alphabet='ab "()*^:+-{},\0ANDORT\ud83d東é'),
        st.lists(st.sampled_from(_ODD[:60])).map(" ".join),
    )
)
def test_random_query_is_not_an_error(small: Path, query: str) -> None:
    assert isinstance(hits(small, query), list)
