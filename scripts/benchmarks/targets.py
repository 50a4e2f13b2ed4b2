"""Compare benchmark results with the performance targets."""

from dataclasses import dataclass

from .results import Results

_INTERACTIVE = ("sessions", "stats --by day", "paths", "search")


@dataclass(frozen=True, slots=True)
class Target:
    """A performance target, the measured value, and whether the target is met. None means not measured."""

    description: str
    measured: str
    is_met: bool | None


def check_targets(results: Results) -> list[Target]:
    """Check every target."""
    return [check(results) for check in (_cold, _unchanged, _appended, _commands, _memory, _size, _growth)]


def growth_spread(results: Results) -> float | None:
    """Return the extra cost per entry at the slowest size, as a fraction of the lowest cost. None for a single size."""
    costs = [step.cost.seconds / step.corpus.entries for step in results.growth if step.corpus.entries]
    return max(costs) / min(costs) - 1 if len(costs) > 1 else None


def _cold(results: Results) -> Target:
    description = "all files: at most 0.67 of the time that agentsview takes"
    first = next((peer.first for peer in results.peers if peer.name == "agentsview"), None)
    if first is None:
        return Target(description, "not measured", None)
    ratio = results.ingests["cold"].cost.seconds / first.seconds
    return Target(description, f"{ratio:.2f}", ratio <= 0.67)


def _unchanged(results: Results) -> Target:
    run = results.ingests["unchanged"]
    wrote = "wrote" if run.has_written else "wrote nothing"
    is_met = run.cost.seconds <= 0.15 and run.bytes_read == 0 and not run.has_written
    measured = f"{run.cost.seconds:.2f} s, read {run.bytes_read:,} bytes, {wrote}"
    return Target("no changes: at most 0.15 s, nothing read or written", measured, is_met)


def _appended(results: Results) -> Target:
    seconds = results.ingests["appended"].cost.seconds
    return Target("one line added to the largest session: at most 0.25 s", f"{seconds:.2f} s", seconds <= 0.25)


def _commands(results: Results) -> Target:
    seconds = {
        name: max(results.commands[name].cold.seconds, results.commands[name].warm.seconds) for name in _INTERACTIVE
    }
    slowest = max(seconds, key=lambda name: seconds[name])
    description = f"{', '.join(_INTERACTIVE)}: at most 0.3 s each"
    return Target(description, f"{seconds[slowest]:.2f} s ({slowest})", seconds[slowest] <= 0.3)


def _memory(results: Results) -> Target:
    megabytes = results.ingests["cold"].cost.memory / 1e6
    return Target("memory for all files: at most 220 MB", f"{megabytes:.0f} MB", megabytes <= 220)


def _size(results: Results) -> Target:
    ratio = results.index.bytes / results.corpus.bytes
    return Target("size of the index: at most 0.67 times the size of the sources", f"{ratio:.3f} times", ratio <= 0.67)


def _growth(results: Results) -> Target:
    spread = growth_spread(results)
    description = "cost per entry as the corpus grows: varies by at most 20%"
    if spread is None:
        return Target(description, "not measured", None)
    largest = max(step.times for step in results.growth)
    return Target(description, f"{spread:.0%}, up to {largest} times the size", spread <= 0.2)
