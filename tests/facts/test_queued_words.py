"""Text that is removed from the queue without becoming a prompt."""

from hypothesis import given
from hypothesis import strategies as st

from ccindex.facts.queued_words import EntryTexts, QueueOperation, find_removed


def removed(*operations: tuple[str, str | None], prompts: tuple[tuple[str, int], ...] = ()) -> list[tuple[str, str]]:
    """Replay operations, one per second; return (text, operation) for each text that an operation removed."""
    replayed = [QueueOperation(number, name, number * 1_000, text) for number, (name, text) in enumerate(operations)]
    return [(item.text, item.removed_by) for item in find_removed(replayed, EntryTexts(prompts))]


def test_removal_with_text_removes_that_text() -> None:
    assert removed(("enqueue", "a"), ("enqueue", "b"), ("remove", "b")) == [("b", "remove")]
    assert removed(("enqueue", "a"), ("enqueue", "b"), ("popAll", "a"), ("popAll", "b")) == [
        ("a", "popAll"),
        ("b", "popAll"),
    ]
    assert removed(("enqueue", "a"), ("remove", "never queued")) == []


def test_removal_without_text_removes_earliest_text_that_is_not_in_a_prompt() -> None:
    prompts = (("a", 5_000),)
    assert removed(("enqueue", "a"), ("enqueue", "b"), ("enqueue", "c"), ("remove", None), prompts=prompts) == [
        ("b", "remove")
    ]
    assert removed(("enqueue", "a"), ("remove", None), prompts=prompts) == [("a", "remove")]


def test_dequeue_prefers_text_in_a_prompt() -> None:
    operations = (("enqueue", "lost"), ("enqueue", "sent"), ("dequeue", None), ("remove", None), ("remove", None))
    assert removed(*operations, prompts=(("sent", 9_000),)) == [("lost", "remove")]


def test_pop_all_without_text_removes_everything() -> None:
    assert removed(("enqueue", "a"), ("enqueue", None), ("enqueue", "b"), ("popAll", None), ("remove", None)) == [
        ("a", "popAll"),
        ("b", "popAll"),
    ]


def test_text_is_found_in_later_entries_with_the_same_text_or_all_its_lines() -> None:
    texts = EntryTexts([("fix  it\nnow", 10_000), ("commit", 10_000)])
    assert texts.contains("fix it now", 10_000)
    assert texts.contains("now", 10_000)
    assert texts.contains("now\n\nfix it", 10_000)
    assert not texts.contains("fix", 10_000)
    assert not texts.contains("", 0)
    # the entry can be slightly older than the operation; a much older entry is another prompt with the same text
    assert texts.contains("commit", 10_001)
    assert not texts.contains("commit", 60_000)


def _removed_by_naive_queue(operations: list[tuple[str, str | None]], prompts: EntryTexts) -> list[int]:
    """Return the operation numbers of the removed texts; the queue is a plain list that is searched from the front."""
    queue: list[tuple[int, str | None, bool]] = []
    removed_numbers = []
    for number, (name, text) in enumerate(operations):
        if name == "enqueue":
            queue.append((number, text, text is not None and prompts.contains(text, number)))
            continue
        if text is not None:
            popped = [item for item in queue if item[1] == text][:1]
        elif name == "popAll":
            popped = list(queue)
        else:
            preferred = [item for item in queue if item[2] == (name == "dequeue")]
            popped = (preferred or queue)[:1]
        queue = [item for item in queue if item not in popped]
        if name != "dequeue":
            removed_numbers += [item[0] for item in popped if item[1]]
    return removed_numbers


_NAMES = st.sampled_from(["enqueue", "enqueue", "dequeue", "remove", "popAll", "unknown"])


@given(st.lists(st.tuples(_NAMES, st.sampled_from([None, "a", "b", "c"])), max_size=30))
def test_random_operations_agree_with_naive_queue(operations: list[tuple[str, str | None]]) -> None:
    known = [item for item in operations if item[0] != "unknown"]
    prompts = EntryTexts([("a", 0)])
    replayed = [QueueOperation(number, name, number, text) for number, (name, text) in enumerate(known)]
    with_unknown = [QueueOperation(-1, "unknown", 0, "a"), *replayed]
    removed_numbers = [item.occurrence for item in find_removed(with_unknown, prompts)]
    assert removed_numbers == _removed_by_naive_queue(known, prompts)
