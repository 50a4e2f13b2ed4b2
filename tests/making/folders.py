"""Folders that tests read: the repository, its sample, the graph cases, and shared data outside the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
CASE_FILES = TESTS / "cases"
GOLDEN = TESTS / "golden"
SAMPLE = ROOT / "scripts" / "sample"
SHARED = ROOT.parent / "shared"  # next to the checkout; optional
