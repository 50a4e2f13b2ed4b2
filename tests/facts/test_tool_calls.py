"""Pairing of calls and results when an id has several of either."""

from ccindex.facts.tool_calls import ToolBlock, pair_blocks

TRUNK, AGENT, OTHER = 1, 2, 3


def held(entry: int, thread: int = TRUNK, idx: int = 0) -> ToolBlock:
    return ToolBlock(entry, idx, thread, timestamp_ms=entry)


def test_call_is_paired_with_its_result() -> None:
    assert pair_blocks([held(1)], [held(2)]) == (held(1), held(2))


def test_call_without_result_and_result_without_call_are_unpaired() -> None:
    assert pair_blocks([held(1)], []) == (held(1), None)
    assert pair_blocks([], [held(2)]) == (None, held(2))


def test_first_of_several_results_is_used() -> None:
    assert pair_blocks([held(1)], [held(2), held(3)]) == (held(1), held(2))
    assert pair_blocks([held(1)], [held(2, idx=1), held(2, idx=4)]) == (held(1), held(2, idx=1))
    assert pair_blocks([], [held(2), held(3)]) == (None, held(2))


def test_result_in_same_thread_is_preferred_to_earlier_one_elsewhere() -> None:
    assert pair_blocks([held(1)], [held(2, AGENT), held(3)]) == (held(1), held(3))
    assert pair_blocks([held(1, AGENT)], [held(2), held(3, OTHER), held(4, AGENT)]) == (held(1, AGENT), held(4, AGENT))


def test_result_in_another_thread_is_used_if_there_is_no_other() -> None:
    assert pair_blocks([held(1)], [held(2, AGENT), held(3, OTHER)]) == (held(1), held(2, AGENT))


def test_call_answered_in_its_own_thread_is_preferred() -> None:
    assert pair_blocks([held(1), held(2, AGENT)], [held(3, AGENT)]) == (held(2, AGENT), held(3, AGENT))
    assert pair_blocks([held(1), held(2)], [held(3)]) == (held(1), held(3))
    assert pair_blocks([held(1), held(2, AGENT)], [held(3, OTHER)]) == (held(1), held(3, OTHER))


def test_result_may_be_earlier_than_its_call() -> None:
    # clocks can go backwards
    assert pair_blocks([held(5)], [held(2)]) == (held(5), held(2))
