"""`ccindex restore`: recorded files back from the archive, byte for byte."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ccindex.cli.options import Db, Json
from ccindex.cli.output import remark, say, show_json
from ccindex.errors import NotRestored
from ccindex.maintain.restore import restore as run_restore
from ccindex.secrets.masking import mask
from ccindex.store.connection import reading
from ccindex.store.index_files import database_path


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
