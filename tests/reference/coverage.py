"""Count how often the generated projects exercise each shape and each rule."""

from collections import Counter

from .shapes import SHAPES, deep
from .tree import Tree

RULINGS = [
    "rung 1: side",
    "rung 1: side only",
    "rung 1: late commands",
    "rung 2: results",
    "rung 3: calls",
    "rung 4: passthrough",
    "rung 5: calls",
    "rung 5: tail",
    "rung 5: open call",
    "rung 5: commands",
    "rung 5: parts",
    "rung 6: copies",
    "rung 6: history",
    "rung 7: otherwise",
]
VERDICTS = ["stitched", "continued", "replay", "rewind", "retry"]
LINK_RULES = ["context", "sidecar", "workflow", "result", "mention", "progress", "prompt"]
OTHER_NAMES = [f"{rule} of another name" for rule in ("context", "sidecar", "result", "mention", "progress")]
CHOICES = ["flag", "leaf", "latest talk", "last"]
KINDS = ["prompt", "result", "assistant", "boundary", "side"]
EFFECTS = [
    "late block",
    "late block beside a fork",
    "bare result inlined",
    "boundary cuts a segment",
    "root recorded again",
    "roots ruled on",
    "typed attachment",
    "untyped attachment",
    "synthetic",
    "quiet prompt",
]
FILES = ["new_file_per_turn", "helper_file", "last_prompt", "fork_context"]
EXERCISED = [
    *sorted({shape.__name__ for shape in [*SHAPES, deep]}),
    *[*FILES, *RULINGS, *KINDS, *EFFECTS],
    *(f"verdict {verdict}" for verdict in VERDICTS),
    *(f"linked by {rule}" for rule in [*LINK_RULES, *OTHER_NAMES]),
    *(f"active by {choice}" for choice in CHOICES),
]


def exercised(tree: Tree) -> Counter[str]:
    """Count how often each rule was applied in a project, and count the project's entries by kind."""
    found: Counter[str] = Counter()
    graph, lines = tree.graph, tree.lines
    for (fork, thread), ruling in lines.forks.items():
        found[f"rung {ruling.rung}: {ruling.form}"] += 1
        found[f"verdict {ruling.verdict}"] += 1
        found["late block"] += len(ruling.late_blocks)
        found["late block beside a fork"] += bool(ruling.late_blocks) and ruling.rung > 1
        inlined = [graph.entries[uuid] for uuid in ruling.inlined]
        found["bare result inlined"] += ruling.rung == 5 and any(entry.kind == "result" for entry in inlined)
        found["roots ruled on"] += graph.thread_of[fork] != thread
    for rule in graph.link_rules.values():
        found[f"linked by {rule}"] += 1
    found["boundary cuts a segment"] += len(lines.cutting)
    found["root recorded again"] += len(lines.replayed_roots)
    for line in lines.lines:
        tree.is_active(line)
    for _, criterion in tree.choices.values():
        found[f"active by {criterion}"] += 1
    for entry in graph.entries.values():
        found[entry.kind] += 1
        found["typed attachment"] += entry.kind == "side" and entry.is_typed
        found["untyped attachment"] += entry.type == "attachment" and not entry.is_typed
        found["synthetic"] += entry.is_synthetic
        found["quiet prompt"] += entry.kind == "prompt" and entry.is_quiet and not entry.is_command
    return found
