"""Pairing of calls and results that have the same id."""

import pytest

from ccindex.facts.tool_calls import ToolBlock, call_outcome, pair_blocks

TRUNK, AGENT, OTHER = 1, 2, 3


def block(entry: int, thread: int = TRUNK, idx: int = 0) -> ToolBlock:
    return ToolBlock(entry, idx, thread, timestamp_ms=entry)


def test_call_is_paired_with_its_result() -> None:
    assert pair_blocks([block(1)], [block(2)]) == (block(1), block(2))


def test_call_without_result_and_result_without_call_are_unpaired() -> None:
    assert pair_blocks([block(1)], []) == (block(1), None)
    assert pair_blocks([], [block(2)]) == (None, block(2))


def test_first_of_several_results_is_used() -> None:
    assert pair_blocks([block(1)], [block(2), block(3)]) == (block(1), block(2))
    assert pair_blocks([block(1)], [block(2, idx=1), block(2, idx=4)]) == (block(1), block(2, idx=1))
    assert pair_blocks([], [block(2), block(3)]) == (None, block(2))


def test_result_in_same_thread_is_preferred_to_earlier_result_in_another_thread() -> None:
    assert pair_blocks([block(1)], [block(2, AGENT), block(3)]) == (block(1), block(3))
    assert pair_blocks([block(1, AGENT)], [block(2), block(3, OTHER), block(4, AGENT)]) == (
        block(1, AGENT),
        block(4, AGENT),
    )


def test_result_in_another_thread_is_used_if_there_is_no_other() -> None:
    assert pair_blocks([block(1)], [block(2, AGENT), block(3, OTHER)]) == (block(1), block(2, AGENT))


def test_call_answered_in_its_own_thread_is_preferred() -> None:
    assert pair_blocks([block(1), block(2, AGENT)], [block(3, AGENT)]) == (block(2, AGENT), block(3, AGENT))
    assert pair_blocks([block(1), block(2)], [block(3)]) == (block(1), block(3))
    assert pair_blocks([block(1), block(2, AGENT)], [block(3, OTHER)]) == (block(1), block(3, OTHER))


def test_result_may_be_earlier_than_its_call() -> None:
    # clocks can go backwards
    assert pair_blocks([block(5)], [block(2)]) == (block(5), block(2))


@pytest.mark.parametrize(
    ("form", "is_error", "outcome"),
    [
        (None, None, "ok"),
        (None, 0, "ok"),
        (None, 1, "error"),
        ("interrupt", 1, "interrupted"),
        ("rejection", 1, "refused"),
        ("rejection", 0, "refused"),
    ],
)
def test_outcome_depends_on_the_form_and_the_error_flag_of_the_result(
    form: str | None, is_error: int | None, outcome: str
) -> None:
    assert call_outcome(block(1)._replace(form=form, is_error=is_error)) == outcome


def test_call_without_a_result_is_pending() -> None:
    assert call_outcome(None) == "pending"
