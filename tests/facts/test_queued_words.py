"""Which texts leave the queue without becoming a prompt."""

from hypothesis import given
from hypothesis import strategies as st

from ccindex.facts.queued_words import Operation, Standing, removed_from


def removed(*operations: tuple[str, str | None], prompts: tuple[tuple[str, int], ...] = ()) -> list[tuple[str, str]]:
    """Replay operations, one per second; give the removed texts with the operation that took them."""
    made = [Operation(number, name, number * 1_000, text) for number, (name, text) in enumerate(operations)]
    return [(item.text, item.removed_by) for item in removed_from(made, Standing(prompts))]


def test_a_removal_takes_the_text_it_names() -> None:
    assert removed(("enqueue", "a"), ("enqueue", "b"), ("remove", "b")) == [("b", "remove")]
    assert removed(("enqueue", "a"), ("enqueue", "b"), ("popAll", "a"), ("popAll", "b")) == [
        ("a", "popAll"),
        ("b", "popAll"),
    ]
    assert removed(("enqueue", "a"), ("remove", "never queued")) == []


def test_a_removal_that_names_nothing_takes_the_earliest_text_that_no_prompt_holds() -> None:
    prompts = (("a", 5_000),)
    assert removed(("enqueue", "a"), ("enqueue", "b"), ("enqueue", "c"), ("remove", None), prompts=prompts) == [
        ("b", "remove")
    ]
    assert removed(("enqueue", "a"), ("remove", None), prompts=prompts) == [("a", "remove")]


def test_a_dequeue_takes_a_text_that_a_prompt_holds_first() -> None:
    operations = (("enqueue", "lost"), ("enqueue", "sent"), ("dequeue", None), ("remove", None), ("remove", None))
    assert removed(*operations, prompts=(("sent", 9_000),)) == [("lost", "remove")]


def test_pop_all_without_a_text_takes_everything() -> None:
    assert removed(("enqueue", "a"), ("enqueue", None), ("enqueue", "b"), ("popAll", None), ("remove", None)) == [
        ("a", "popAll"),
        ("b", "popAll"),
    ]


def test_a_text_stands_in_what_equals_it_or_has_its_lines_from_that_instant_on() -> None:
    standing = Standing([("fix  it\nnow", 10_000), ("commit", 10_000)])
    assert standing.holds("fix it now", 10_000)
    assert standing.holds("now", 10_000)
    assert standing.holds("now\n\nfix it", 10_000)
    assert not standing.holds("fix", 10_000)
    assert not standing.holds("", 0)
    # an attachment is stamped a moment before the operation; an earlier prompt of the same words is another
    assert standing.holds("commit", 10_001)
    assert not standing.holds("commit", 60_000)


def _naive(operations: list[tuple[str, str | None]], prompts: Standing) -> list[int]:
    """The same by lists that are searched from the front."""
    queue: list[tuple[int, str | None, bool]] = []
    taken = []
    for number, (name, text) in enumerate(operations):
        if name == "enqueue":
            queue.append((number, text, text is not None and prompts.holds(text, number)))
            continue
        if text is not None:
            wanted = [item for item in queue if item[1] == text][:1]
        elif name == "popAll":
            wanted = list(queue)
        else:
            first = [item for item in queue if item[2] == (name == "dequeue")]
            wanted = (first or queue)[:1]
        queue = [item for item in queue if item not in wanted]
        if name != "dequeue":
            taken += [item[0] for item in wanted if item[1]]
    return taken


_NAMES = st.sampled_from(["enqueue", "enqueue", "dequeue", "remove", "popAll", "unheard of"])


@given(st.lists(st.tuples(_NAMES, st.sampled_from([None, "a", "b", "c"])), max_size=30))
def test_any_operations_come_out_as_a_plain_queue_has_it(operations: list[tuple[str, str | None]]) -> None:
    known = [item for item in operations if item[0] != "unheard of"]
    prompts = Standing([("a", 0)])
    made = [Operation(number, name, number, text) for number, (name, text) in enumerate(known)]
    odd = [Operation(-1, "unheard of", 0, "a"), *made]
    assert [item.occurrence for item in removed_from(odd, prompts)] == _naive(known, prompts)
