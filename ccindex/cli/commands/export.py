"""`ccindex export` and `restore`: write transcripts, or the recorded files themselves, to a folder."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from enum import StrEnum
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated

import typer

from ccindex.cli.options import Db, FilterOptions, Json, Raw, add_filter_options, resolve_filters
from ccindex.cli.output import choose_mask, open_index, path_text, print_json, print_lines, print_note, print_text
from ccindex.errors import NotRestored
from ccindex.files import make_output_folder, write_atomically
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
from ccindex.render.text import format_count, one_line
from ccindex.render.tree import timeline_lines, tree_lines
from ccindex.secrets.masking import Mask, mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path

# file name -> function that yields the lines of the file
Files = dict[str, Callable[[], Iterator[str]]]


class Format(StrEnum):
    """The format of exported files."""

    MARKDOWN = "markdown"
    JSON = "json"
    DOT = "dot"
    TREE = "tree"
    TIMELINE = "timeline"


@add_filter_options
def export(
    *,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="markdown (readable pages), json (complete data), dot (a Graphviz graph), tree (the tree of lines) or "
            "timeline (entries in time order).",
        ),
    ] = Format.MARKDOWN,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to. Created if missing.")],
    agents: Annotated[
        bool,
        typer.Option(
            "--agents",
            help="Show subagents where they were spawned. Only for Markdown; other formats always include them.",
        ),
    ] = False,
    options: FilterOptions,
    raw: Raw = False,
    every: Annotated[bool, typer.Option("--all", help="Export all sessions in the index.")] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Export transcripts, graphs, trees or timelines to files.

    Markdown output has one file per conversation path. Every other format has one file per session.

    Examples:
      ccindex export --session 51ea --out pages
      ccindex export --session 51ea --agents --out pages
      ccindex export --session 51ea --format dot --out graphs
      ccindex export --project recipe-box --since 7d --format timeline --out week
      ccindex export --all --format json --out everything
    """
    _check_selection(options, every=every)
    with open_index(db) as connection:
        filters = resolve_filters(connection, options)
        files = _files(connection, format_, filters, agents=agents, mask=choose_mask(raw=raw))
        sizes = _write(out, files)
    if json:
        print_json({"files": [{"path": path, "bytes": size} for path, size in sizes.items()]})
        return
    print_lines(map(one_line, sizes))
    print_note(f"wrote {format_count(len(sizes), 'file')} to {out}" if sizes else "nothing found")


def _check_selection(options: FilterOptions, *, every: bool) -> None:
    """Raise a usage error unless the options select either one session or a set of sessions."""
    is_filtered = every or replace(options, session=None) != FilterOptions()
    if options.session is None and not is_filtered:
        raise typer.BadParameter("select sessions with --session, another filter or --all")
    if options.session is not None and is_filtered:
        raise typer.BadParameter("--session cannot be combined with --all or other filters")


def _files(connection: sqlite3.Connection, form: Format, filters: Filters, *, agents: bool, mask: Mask) -> Files:
    session_id = filters.session_id
    session_ids = sessions_matching(connection, filters) if session_id is None else [session_id]
    if form is not Format.MARKDOWN:
        return _whole_sessions(connection, form, session_ids, mask)
    if session_id is not None:
        return _pages(connection, pages_through(connection, session_id, agents=agents), mask)
    return _pages(connection, pages_ending_in(connection, session_ids, agents=agents), mask)


def _pages(connection: sqlite3.Connection, pages: list[ExportPage], mask: Mask) -> Files:
    from ccindex.render.markdown import markdown_lines  # noqa: PLC0415 - takes 3 ms to import; only for this format

    @lru_cache(maxsize=1)  # consecutive pages belong to the same session, which can have thousands of pages
    def load_tree(session_id: str) -> LineTree:
        return load_line_tree(connection, session_id)

    def page_lines(page: ExportPage) -> Iterator[str]:
        order = ReadingOrder(AgentPlacement.INSIDE if page.agents else AgentPlacement.SKIPPED)
        tree, target = load_tree(page.path.session_id), Target("path", page.path.path_id)
        items = load_transcript(connection, target, order, tree=tree)
        return markdown_lines(page, path_totals(connection, page.path), items, mask=mask)

    return {page.file_name: partial(page_lines, page) for page in pages}


def _whole_sessions(connection: sqlite3.Connection, form: Format, session_ids: list[str], mask: Mask) -> Files:
    prefix, extension = _FILE_NAMES[form]
    return {
        f"{prefix}_{file_name_part(session_id)}.{extension}": partial(
            _session_lines, connection, form, session_id, mask
        )
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


_FILE_NAMES = {
    Format.JSON: ("transcript", "json"),
    Format.DOT: ("graph", "dot"),
    Format.TREE: ("tree", "txt"),
    Format.TIMELINE: ("timeline", "txt"),
}


def _write(out: Path, files: Files) -> dict[str, int]:
    """Write the files in name order, each one atomically. Return their sizes, keyed by path."""
    if files:
        make_output_folder(out)
    sizes = {}
    for name in sorted(files):
        path = out / name
        size = write_atomically(path, (f"{line}\n" for line in files[name]()))
        sizes[path_text(path)] = size
    return sizes


def restore(
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="DIR", help="Folder to write to. Each file keeps its full path under this folder."
        ),
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="PATH",
            help="Restore only this file, or the files under this folder.",
            show_default=False,
        ),
    ] = None,
    generation: Annotated[
        int | None,
        typer.Option(
            "--generation",
            metavar="N",
            min=1,
            help="Restore generation N of rewritten files; 1 is the first. Default: the latest.",
            show_default=False,
        ),
    ] = None,
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite existing files that have different content.")
    ] = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Restore files from the archive, byte for byte.

    Works whether or not the original files still exist.

    Examples:
      ccindex restore --out ~/restored
      ccindex restore --out ~/restored --source ~/.claude/projects/-home-you-projects-recipe-box
    """
    with reading(database_path(db)) as connection:
        restored, skipped = run_restore(connection, out, requested_path=source, generation=generation, force=force)
    if json:
        print_json({"files": [asdict(file) for file in restored]})
    else:
        for file in restored:
            print_text(f"{file.sha256}  {mask(file.path)}")
        print_note(f"restored {format_count(len(restored), 'file')} to {out}")
    if skipped:
        raise NotRestored(skipped)
