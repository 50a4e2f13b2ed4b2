"""No secret pattern is prone to catastrophic backtracking."""

import re

import pytest

from ccindex.secrets.patterns import KINDS, SecretKind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_unbounded_repetitions_are_possessive(kind: SecretKind) -> None:
    plain = re.sub(r"\\.", "e", re.sub(r"\[(?:\\.|[^\]\\])*\]", "c", kind.pattern))
    backtracking = re.findall(
        r"(?:\{\d*,\}|(?<![})*+])[*+]|(?<=[)])[*+])(?!\+)", re.sub(r"(?:\{\d*,\}|[*+])\+", "", plain)
    )
    assert backtracking == []


def test_backtracking_pattern_is_detected() -> None:
    bad = SecretKind("bad", ("a",), r"(?P<secret>a+b)", lambda _: True)
    with pytest.raises(AssertionError):
        test_unbounded_repetitions_are_possessive(bad)
