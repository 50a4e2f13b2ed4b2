"""`ccindex export`: a session's transcripts as Markdown, or all of it as JSON, graph, tree or timeline, as files."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Annotated

import typer

from ccindex.cli.options import Asked, Db, Json, Raw, filters_of, takes_filters
from ccindex.cli.output import opened, path_text, remark, say_lines, show_json
from ccindex.files import make_folder, write_whole
from ccindex.query.export_plan import Transcript, safe, sessions_matching, transcripts_ending_in, transcripts_through
from ccindex.query.lists import Filters
from ccindex.query.reading_order import Tree, forest
from ccindex.query.session_json import document
from ccindex.query.timeline import links, noted_by_line, noted_by_time
from ccindex.query.titles import Labels
from ccindex.render.dot import dot
from ccindex.render.text import count, flat
from ccindex.render.tree import drawn, timeline

# file names, each with what gives its lines
Files = dict[str, Callable[[], Iterator[str]]]


class Format(StrEnum):
    """What is written."""

    MARKDOWN = "markdown"
    JSON = "json"
    DOT = "dot"
    TREE = "tree"
    TIMELINE = "timeline"


@takes_filters
def export(
    *,
    format_: Annotated[
        Format,
        typer.Option(
            "--format", help="Pages to read; everything; a graph for Graphviz; its lines; its entries by time."
        ),
    ] = Format.MARKDOWN,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to; made if need be.")],
    agents: Annotated[
        bool, typer.Option("--agents", help="In Markdown, enter subagents where they were called; others have them.")
    ] = False,
    asked: Asked,
    raw: Raw = False,
    every: Annotated[bool, typer.Option("--all", help="Every session in the index.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write transcripts, graphs, trees or timelines to files.

    Markdown is one file for each conversation path, every other format one for each session.

    Examples:
      ccindex export --session 51ea --out pages
      ccindex export --session 51ea --agents --out pages
      ccindex export --session 51ea --format dot --out graphs
      ccindex export --project recipe-box --since 7d --format timeline --out week
      ccindex export --all --format json --out everything
    """
    _check_wanted(asked, every=every)
    with opened(db, exact=raw or format_ is Format.JSON) as connection:
        filters = filters_of(connection, asked)
        sizes = _write(out, _files(connection, format_, filters, agents=agents))
    if json:
        show_json({"files": [{"path": path, "bytes": size} for path, size in sizes.items()]})
        return
    say_lines(map(flat, sizes))
    remark(f"wrote {count(len(sizes), 'file')} to {out}" if sizes else "nothing found")


def _check_wanted(asked: Asked, *, every: bool) -> None:
    """Refuse to guess what is to be exported."""
    is_filtered = every or replace(asked, session=None) != Asked()
    if asked.session is None and not is_filtered:
        raise typer.BadParameter("name a session with --session, or say --all")
    if asked.session is not None and is_filtered:
        raise typer.BadParameter("--session names one already: leave out --all and the other filters")


def _files(connection: sqlite3.Connection, form: Format, filters: Filters, *, agents: bool) -> Files:
    named = filters.session_id
    if named is not None and form is Format.MARKDOWN:
        return _pages(connection, transcripts_through(connection, named, agents=agents))
    wanted = sessions_matching(connection, filters) if named is None else [named]
    if form is Format.MARKDOWN:
        return _pages(connection, transcripts_ending_in(connection, wanted, agents=agents))
    return _whole(connection, form, wanted)


def _pages(connection: sqlite3.Connection, transcripts: list[Transcript]) -> Files:
    from ccindex.render.markdown import markdown  # noqa: PLC0415 - only Markdown needs it

    @lru_cache(maxsize=1)  # a session may have thousands of paths
    def tree(session_id: str) -> Tree:
        return forest(connection, session_id)

    def page(transcript: Transcript) -> Callable[[], Iterator[str]]:
        return lambda: markdown(connection, transcript, tree(transcript.path.session_id))

    return {transcript.file_name: page(transcript) for transcript in transcripts}


def _whole(connection: sqlite3.Connection, form: Format, session_ids: list[str]) -> Files:
    start, end = _NAMES[form]

    def whole(session_id: str) -> Callable[[], Iterator[str]]:
        return lambda: _RENDERED[form](connection, session_id)

    return {f"{start}_{safe(session_id)}.{end}": whole(session_id) for session_id in session_ids}


def _graph(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    return dot(session_id, noted_by_line(connection, session_id), links(connection, session_id))


def _tree(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    found = forest(connection, session_id)
    return ("".join(text for _, text in line.spans).rstrip() for line in drawn(found, Labels(connection, found)))


def _timeline(connection: sqlite3.Connection, session_id: str) -> Iterator[str]:
    return timeline(noted_by_time(connection, session_id))


_NAMES = {
    Format.JSON: ("transcript", "json"),
    Format.DOT: ("graph", "dot"),
    Format.TREE: ("tree", "txt"),
    Format.TIMELINE: ("timeline", "txt"),
}
_RENDERED = {Format.JSON: document, Format.DOT: _graph, Format.TREE: _tree, Format.TIMELINE: _timeline}


def _write(out: Path, files: Files) -> dict[str, int]:
    """Write the files by name, each whole; give the size of each by its path."""
    if files:
        make_folder(out)
    sizes = {}
    for name in sorted(files):
        path = out / name
        size = write_whole(path, (f"{line}\n" for line in files[name]()))
        sizes[path_text(path)] = size
    return sizes
