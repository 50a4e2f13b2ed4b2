"""Which result answers which call, where one id has several of either."""

from ccindex.facts.tool_calls import Held, pair

TRUNK, AGENT, OTHER = 1, 2, 3


def held(entry: int, thread: int = TRUNK, idx: int = 0) -> Held:
    return Held(entry, idx, thread, at=entry)


def test_a_call_goes_with_its_result() -> None:
    assert pair([held(1)], [held(2)]) == (held(1), held(2))


def test_what_has_no_other_half_stands_alone() -> None:
    assert pair([held(1)], []) == (held(1), None)
    assert pair([], [held(2)]) == (None, held(2))


def test_of_several_results_the_first_counts() -> None:
    assert pair([held(1)], [held(2), held(3)]) == (held(1), held(2))
    assert pair([held(1)], [held(2, idx=1), held(2, idx=4)]) == (held(1), held(2, idx=1))
    assert pair([], [held(2), held(3)]) == (None, held(2))


def test_a_result_in_the_calls_own_thread_comes_before_an_earlier_one_elsewhere() -> None:
    assert pair([held(1)], [held(2, AGENT), held(3)]) == (held(1), held(3))
    assert pair([held(1, AGENT)], [held(2), held(3, OTHER), held(4, AGENT)]) == (held(1, AGENT), held(4, AGENT))


def test_a_result_elsewhere_is_better_than_none() -> None:
    assert pair([held(1)], [held(2, AGENT), held(3, OTHER)]) == (held(1), held(2, AGENT))


def test_of_several_calls_the_one_that_its_thread_answers_counts() -> None:
    assert pair([held(1), held(2, AGENT)], [held(3, AGENT)]) == (held(2, AGENT), held(3, AGENT))
    assert pair([held(1), held(2)], [held(3)]) == (held(1), held(3))
    assert pair([held(1), held(2, AGENT)], [held(3, OTHER)]) == (held(1), held(3, OTHER))


def test_a_result_may_stand_before_its_call() -> None:
    # clocks go backwards
    assert pair([held(5)], [held(2)]) == (held(5), held(2))
