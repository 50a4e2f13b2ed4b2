"""Folders that tests read: the repository, its sample, the cases, and optional test data next to the checkout."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
CASE_FILES = TESTS / "cases"
GOLDEN = TESTS / "golden"
SAMPLE = ROOT / "scripts" / "sample"
SHARED = ROOT.parent / "shared"  # a corpus and more cases; tests that need them are skipped if the folder is missing
