"""No pattern of a secret can backtrack without end."""

import re

import pytest

from ccindex.secrets.patterns import KINDS, Kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_a_pattern_repeats_without_end_it_never_gives_back(kind: Kind) -> None:
    plain = re.sub(r"\\.", "e", re.sub(r"\[(?:\\.|[^\]\\])*\]", "c", kind.pattern))
    endless = re.findall(r"(?:\{\d*,\}|(?<![})*+])[*+]|(?<=[)])[*+])(?!\+)", re.sub(r"(?:\{\d*,\}|[*+])\+", "", plain))
    assert endless == []


def test_the_patterns_that_would_give_back_are_told_from_those_that_do_not() -> None:
    bad = Kind("bad", ("a",), r"(?P<secret>a+b)", lambda _: True)
    with pytest.raises(AssertionError):
        test_what_a_pattern_repeats_without_end_it_never_gives_back(bad)
