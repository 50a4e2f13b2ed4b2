"""Generated projects exercise every rule of the reference implementation."""

from collections import Counter
from pathlib import Path

from tests.making.files import write_all

from .coverage import EXERCISED, exercised
from .project import read_project
from .random_choices import numbers_from_seed
from .random_projects import random_project
from .transcript_builder import TranscriptBuilder

_PROJECTS = 1_500
_MIN_COUNT = 3


def test_every_shape_and_rule_occurs_in_generated_projects(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(_PROJECTS):
        make = TranscriptBuilder(numbers_from_seed(f"coverage {seed}"))
        write_all(tmp_path / f"{seed}", random_project(make))
        found += make.shapes + exercised(read_project(tmp_path / f"{seed}"))
    assert {name: found[name] for name in EXERCISED if found[name] < _MIN_COUNT} == {}
