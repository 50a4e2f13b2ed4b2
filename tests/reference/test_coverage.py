"""Random projects exercise every rule that the reference knows."""

from collections import Counter
from pathlib import Path

from tests.making.files import write_all

from .coverage import WANTED, exercised
from .dice import seeded
from .growth import Maker
from .project import read_project
from .transcripts import folder

_PROJECTS = 1_500
_LEAST = 3


def test_every_shape_and_every_rule_occurs_in_random_projects(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(_PROJECTS):
        make = Maker(seeded(f"coverage {seed}"))
        write_all(tmp_path / f"{seed}", folder(make))
        found += make.shapes + exercised(read_project(tmp_path / f"{seed}"))
    assert {name: found[name] for name in WANTED if found[name] < _LEAST} == {}
