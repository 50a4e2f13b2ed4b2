"""The commands `export` and `restore`: transcripts and recorded files written to a folder."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from enum import StrEnum
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

import typer

from ccindex.cli.options import Db, FilterOptions, Json, Raw, filters_of, takes_filters
from ccindex.cli.output import mask_for, open_index, path_text, remark, say, say_lines, show_json
from ccindex.errors import NotRestored
from ccindex.files import make_folder, write_whole
from ccindex.maintain.restore import restore as run_restore
from ccindex.query.export import (
    ExportPage,
    file_name_part,
    pages_ending_in,
    pages_through,
    session_document,
    sessions_matching,
)
from ccindex.query.ids import Target
from ccindex.query.line_tree import LineTree, load_line_tree
from ccindex.query.lists import Filters
from ccindex.query.paths import path_totals
from ccindex.query.reading_order import AgentPlacement, ReadingOrder
from ccindex.query.timeline import load_entries_by_line, load_links, load_timeline
from ccindex.query.titles import load_labelled_lines
from ccindex.query.transcript import load_transcript
from ccindex.render.dot import dot_lines
from ccindex.render.text import count, flat
from ccindex.render.tree import timeline_lines, tree_lines
from ccindex.secrets.masking import Mask, mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path

# file names, each with a function that yields its lines
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
    options: FilterOptions,
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
    _check_wanted(options, every=every)
    with open_index(db) as connection:
        filters = filters_of(connection, options)
        files = _files(connection, format_, filters, agents=agents, mask=mask_for(raw=raw))
        sizes = _write(out, files)
    if json:
        show_json({"files": [{"path": path, "bytes": size} for path, size in sizes.items()]})
        return
    say_lines(map(flat, sizes))
    remark(f"wrote {count(len(sizes), 'file')} to {out}" if sizes else "nothing found")


def _check_wanted(options: FilterOptions, *, every: bool) -> None:
    """Refuse to export unless the user says what."""
    is_filtered = every or replace(options, session=None) != FilterOptions()
    if options.session is None and not is_filtered:
        raise typer.BadParameter("name a session with --session, or say --all")
    if options.session is not None and is_filtered:
        raise typer.BadParameter("--session names one already: leave out --all and the other filters")


def _files(connection: sqlite3.Connection, form: Format, filters: Filters, *, agents: bool, mask: Mask) -> Files:
    named = filters.session_id
    wanted = sessions_matching(connection, filters) if named is None else [named]
    if form is not Format.MARKDOWN:
        return _whole_sessions(connection, form, wanted, mask)
    if named is not None:
        return _pages(connection, pages_through(connection, named, agents=agents), mask)
    return _pages(connection, pages_ending_in(connection, wanted, agents=agents), mask)


def _pages(connection: sqlite3.Connection, pages: list[ExportPage], mask: Mask) -> Files:
    from ccindex.render.markdown import markdown_lines  # noqa: PLC0415 - 3 ms; other formats and completion do not need it

    @lru_cache(maxsize=1)  # a session can have thousands of paths
    def tree_of(session_id: str) -> LineTree:
        return load_line_tree(connection, session_id)

    def lines_of(page: ExportPage) -> Iterator[str]:
        order = ReadingOrder(AgentPlacement.INSIDE if page.agents else AgentPlacement.SKIPPED)
        tree, target = tree_of(page.path.session_id), Target("path", page.path.path_id)
        items = load_transcript(connection, target, order, tree=tree)
        return markdown_lines(page, path_totals(connection, page.path), items, mask=mask)

    return {page.file_name: partial(lines_of, page) for page in pages}


def _whole_sessions(connection: sqlite3.Connection, form: Format, session_ids: list[str], mask: Mask) -> Files:
    start, end = _NAMES[form]
    return {
        f"{start}_{file_name_part(session_id)}.{end}": partial(_session_lines, connection, form, session_id, mask)
        for session_id in session_ids
    }


def _session_lines(connection: sqlite3.Connection, form: Format, session_id: str, mask: Mask) -> Iterator[str]:
    if form is Format.JSON:
        return session_document(connection, session_id)
    if form is Format.DOT:
        entries, links = load_entries_by_line(connection, session_id), load_links(connection, session_id)
        return dot_lines(session_id, entries, links, mask=mask)
    if form is Format.TIMELINE:
        return timeline_lines(load_timeline(connection, session_id), mask=mask)
    labelled = load_labelled_lines(connection, load_line_tree(connection, session_id))
    return ("".join(text for _, text in line.spans).rstrip() for line in tree_lines(labelled, mask=mask))


_NAMES = {
    Format.JSON: ("transcript", "json"),
    Format.DOT: ("graph", "dot"),
    Format.TREE: ("tree", "txt"),
    Format.TIMELINE: ("timeline", "txt"),
}


def _write(out: Path, files: Files) -> dict[str, int]:
    """Write the files in order of their names, each atomically; return their sizes by path."""
    if files:
        make_folder(out)
    sizes = {}
    for name in sorted(files):
        path = out / name
        size = write_whole(path, (f"{line}\n" for line in files[name]()))
        sizes[path_text(path)] = size
    return sizes


def restore(
    out: Annotated[Path, typer.Option("--out", help="Folder to write below; each file at its own path there.")],
    source: Annotated[
        str | None,
        typer.Option("--source", help="Only this file, or the files below this folder.", show_default=False),
    ] = None,
    generation: Annotated[
        int | None,
        typer.Option("--generation", min=1, help="An earlier content of rewritten files, from 1.", show_default=False),
    ] = None,
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace files that stand there with other content.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Write recorded files as they were, byte for byte.

    Whether or not their sources still exist.

    Examples:
      ccindex restore --out ~/restored
      ccindex restore --out ~/restored --source ~/.claude/projects/-home-you-projects-recipe-box
    """
    with reading(database_path(db)) as connection:
        restored, kept_back = run_restore(connection, out, wanted=source, generation=generation, force=force)
    if json:
        show_json({"files": [asdict(file) for file in restored]})
    else:
        for file in restored:
            say(f"{file.sha256}  {mask(file.path)}")
        remark(f"restored {len(restored):,} files below {out}")
    if kept_back:
        raise NotRestored(kept_back)
