"""Run a page's console examples on the sample, compare their output with the page, and refresh the page."""

import os
import pty
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

ELLIPSIS = "…"  # on a line of its own in a page, it stands for any number of omitted lines
PAGES = ("README.md", "docs/*.md")

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_SECONDS = re.compile(r"\bin \d+\.\d s\b")
_READERS_TMP = "/tmp/"  # noqa: S108 - the folder that readers of a page use; a session replaces it with its own
_LINE_DISTANCE_PENALTY = 0.02


class Step(NamedTuple):
    """A command in a console block, and the lines of output that the page shows for it."""

    command: str
    output: tuple[str, ...]


def find_steps(text: str) -> list[Step]:
    """Return the steps of all console blocks on a page, in order."""
    return [step for block in _BLOCK.findall(text) for step in _parse_block(block)]


def is_shown(shown: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the output on a page matches what a command printed. Blank lines and trailing spaces are ignored."""
    pattern = "".join("(?:.*\n)*" if line == ELLIPSIS else re.escape(line) + "\n" for line in _without_blanks(shown))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _without_blanks(printed))) is not None


def refresh_pages(root: Path) -> list[str]:
    """Update pages whose commands now print something else. Return the names of the changed pages."""
    changed = []
    for path in sorted(path for pattern in PAGES for path in root.glob(pattern)):
        old = path.read_text(encoding="utf-8")
        with TemporaryDirectory() as folder:
            new = refresh_text(old, ConsoleSession(root, Path(folder)))
        if new != old:
            path.write_text(new, encoding="utf-8")
            changed.append(path.relative_to(root).as_posix())
    return changed


def refresh_text(text: str, session: "ConsoleSession") -> str:
    """Return the page with the output of every console example replaced by what its command prints."""

    def refresh_block(match: re.Match[str]) -> str:
        steps = [
            Step(step.command, refresh_output(step.output, session.run(step.command)))
            for step in _parse_block(match[1])
        ]
        return f"```console\n{_format_block(steps)}```"

    return _BLOCK.sub(refresh_block, text)


def refresh_output(shown: Sequence[str], printed: Sequence[str]) -> tuple[str, ...]:
    """Return the printed lines, with an ellipsis wherever the page has one.

    Each excerpt on the page is located in the new output by its first and last lines, which may have changed slightly.
    """
    if is_shown(shown, printed):
        return tuple(shown)
    excerpts = list(_split_at_ellipses(shown))
    lines: list[str] = []
    position = 0
    for number, excerpt in enumerate(excerpts):
        if not excerpt and len(excerpts) > 1:
            continue  # the output starts or ends with an ellipsis
        start = 0 if number == 0 else _locate(excerpt[0], printed, position)
        is_last = number == len(excerpts) - 1
        end = len(printed) if is_last else _locate(excerpt[-1], printed, start, near=start + len(excerpt) - 1) + 1
        lines += [*_left_out(printed, position, start), *printed[start:end]]
        position = end
    return (*lines, *_left_out(printed, position, len(printed)))


@dataclass
class ConsoleSession:
    """A shell session in which `ccindex` runs this checkout and the sample is already indexed.

    Commands run in the root of the checkout. `folder` takes the place of /tmp and contains the home folder.
    """

    root: Path
    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = self.folder.resolve()
        self.environment = make_environment(self.root, self.folder)

    def run(self, command: str) -> list[str]:
        """Run a command and return what a terminal shows, line by line, without colours and with durations of 0.0 s."""
        local = command.replace(_READERS_TMP, f"{self.folder}/")
        if local.startswith("export "):
            name, _, value = local.removeprefix("export ").partition("=")
            self.environment[name] = value
            return []
        if "CCINDEX_DB" not in self.environment:
            self.environment["CCINDEX_DB"] = str(self.folder / "sample.db")
            self._run(f"ccindex ingest {shlex.quote(str(self.root / 'scripts' / 'sample'))}")
        text = self._run(local).replace(f"{self.folder}/", _READERS_TMP)
        lines = [line.rstrip() for line in _SECONDS.sub("in 0.0 s", text).splitlines()]
        return list(_strip_blanks(lines))

    def _run(self, command: str) -> str:
        """Run a command with a terminal as stderr, where ccindex prints messages, and a file as stdout."""
        reader, terminal = pty.openpty()
        with TemporaryFile("w+", encoding="utf-8") as output:
            process = subprocess.Popen(  # noqa: S603 - the commands are in our own pages
                ["sh", "-c", command],  # noqa: S607
                cwd=self.root,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=terminal,
            )
            os.close(terminal)
            messages = _ESCAPE.sub("", _read_terminal(reader)).replace("\r\n", "\n")
            exit_code = process.wait()
            output.seek(0)
            printed = output.read() + messages
        if exit_code:
            raise RuntimeError(f"{command!r} exits with {exit_code}:\n{printed}")
        return printed


def make_environment(root: Path, folder: Path) -> dict[str, str]:
    """Return environment variables for commands in the documentation; `ccindex` and the home folder are in `folder`."""
    program = folder / "bin" / "ccindex"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ccindex "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(root),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "TZ": "UTC",
        "COLUMNS": "110",
    }


def _read_terminal(reader: int) -> str:
    """Return what was written to a pseudo-terminal whose other end is closed."""
    chunks = []
    try:
        while chunk := os.read(reader, 1 << 16):
            chunks.append(chunk)
    except OSError:
        pass  # Linux reports the closed end as an error
    finally:
        os.close(reader)
    return b"".join(chunks).decode("utf-8", "replace")


def _parse_block(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        # a command continues on the next line while a double quote is open
        end = next(n for n in range(1, len(lines) + 1) if "\n".join(lines[:n]).count('"') % 2 == 0)
        yield Step("\n".join(lines[:end]), tuple(_strip_blanks([line.rstrip() for line in lines[end:]])))


def _format_block(steps: Sequence[Step]) -> str:
    """Return the text of a console block. A blank line separates output from the next command."""
    parts = []
    for number, step in enumerate(steps):
        is_last = number == len(steps) - 1
        parts.append("".join(f"{line}\n" for line in (f"$ {step.command}", *step.output)))
        if step.output and not is_last:
            parts.append("\n")
    return "".join(parts)


def _split_at_ellipses(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the excerpts between ellipses; the first or last is empty if the output starts or ends with an ellipsis."""
    excerpt: list[str] = []
    for line in lines:
        if line == ELLIPSIS:
            yield _strip_blanks(excerpt)
            excerpt = []
        else:
            excerpt.append(line)
    yield _strip_blanks(excerpt)


def _locate(line: str, printed: Sequence[str], start: int, near: int | None = None) -> int:
    """Return the index of the printed line that is most similar to `line`. Lines near index `near` are preferred."""

    def similarity(index: int) -> float:
        distance = 0 if near is None else abs(index - near)
        return SequenceMatcher(None, line, printed[index]).ratio() - _LINE_DISTANCE_PENALTY * distance

    return max(range(start, len(printed)), key=similarity, default=start)


def _left_out(printed: Sequence[str], start: int, end: int) -> list[str]:
    """Return an ellipsis in place of omitted lines, with a blank line after it if the last one is blank."""
    if not any(printed[start:end]):
        return list(printed[start:end])
    return [ELLIPSIS, ""] if printed[end - 1] == "" else [ELLIPSIS]


def _strip_blanks(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without blank lines at the start and the end."""
    texts = [number for number, line in enumerate(lines) if line]
    return lines[texts[0] : texts[-1] + 1] if texts else []


def _without_blanks(lines: Sequence[str]) -> list[str]:
    return [line.rstrip() for line in lines if line.strip()]
