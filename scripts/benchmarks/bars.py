"""What was measured to what was promised: a value for each bar, and whether it is met."""

from dataclasses import dataclass

from .results import Results

_PROMPT = ("sessions", "stats --by day", "paths", "search")


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise, what was measured, and whether it is kept; None if it was not measured."""

    promise: str
    measured: str
    is_met: bool | None


def bars(results: Results) -> list[Bar]:
    """Hold the results against every promise."""
    return [promise(results) for promise in (_cold, _unchanged, _appended, _commands, _memory, _size, _growth)]


def spread(results: Results) -> float | None:
    """How much dearer an entry is at the dearest size than at the cheapest; None if only one size was measured."""
    each = [step.cost.seconds / step.corpus.entries for step in results.growth if step.corpus.entries]
    return max(each) / min(each) - 1 if len(each) > 1 else None


def _cold(results: Results) -> Bar:
    ratio = results.ingests["cold"].cost.seconds / results.floor.seconds
    return Bar("all of it, at most 2.0 times the floor", f"{ratio:.2f} times", ratio <= 2.0)


def _unchanged(results: Results) -> Bar:
    run = results.ingests["unchanged"]
    wrote = "wrote" if run.has_written else "wrote nothing"
    is_met = run.cost.seconds <= 0.35 and run.bytes_read == 0 and not run.has_written
    told = f"{run.cost.seconds:.2f} s, read {run.bytes_read:,} bytes, {wrote}"
    return Bar("nothing new, at most 0.35 s, nothing read or written", told, is_met)


def _appended(results: Results) -> Bar:
    seconds = results.ingests["appended"].cost.seconds
    return Bar("one line more in the largest session, at most 0.6 s", f"{seconds:.2f} s", seconds <= 0.6)


def _commands(results: Results) -> Bar:
    slowest = {name: max(results.commands[name].cold.seconds, results.commands[name].warm.seconds) for name in _PROMPT}
    name = max(slowest, key=lambda name: slowest[name])
    told = f"{slowest[name]:.2f} s ({name})"
    return Bar(f"{', '.join(_PROMPT)}, at most 0.3 s each", told, slowest[name] <= 0.3)


def _memory(results: Results) -> Bar:
    held = results.ingests["cold"].cost.memory / 1e6
    return Bar("memory for all of it, at most 300 MB", f"{held:.0f} MB", held <= 300)


def _size(results: Results) -> Bar:
    ratio = results.index.bytes / results.corpus.bytes
    return Bar("the index, at most 0.75 of its sources", f"{ratio:.2f}", ratio <= 0.75)


def _growth(results: Results) -> Bar:
    found = spread(results)
    promise = "an entry costs the same in a larger corpus, within 20 %"
    if found is None:
        return Bar(promise, "not measured", None)
    most = max(step.times for step in results.growth)
    return Bar(promise, f"{found:.0%} up to {most} times", found <= 0.2)
