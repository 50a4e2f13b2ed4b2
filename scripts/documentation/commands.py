"""Generate docs/commands.md, the reference for all commands, from their declarations."""

import textwrap
from collections.abc import Iterator
from typing import Any

import typer.main

from ccindex.cli.app import app
from documentation.markdown import GENERATED_NOTE, code_block, link, table, wrap

INTRODUCTION = """\
# Commands

{note}

This page describes every command; `ccindex COMMAND --help` describes one. Options follow the command, as in
`ccindex sessions --db FILE`. `python -m ccindex` is the same as `ccindex`. Other pages explain
[ids, filters and output](tasks.md#choose-what-a-command-shows), the [search syntax](tasks.md#search),
[JSON output](scripting.md) and [exit codes](troubleshooting.md#exit-codes).

"""

# typer supplies the help for these options, and the text depends on typer's version
_COMPLETION_OPTIONS = {"install_completion", "show_completion"}
# every command has these options; they are described once
_COMMON_OPTIONS = ("db", "json")


def commands_page() -> str:
    """Return the page: a table of all commands, the common options, and one heading per command."""
    # typer 0.29 has its own copy of click, so use only attributes that exist both in this copy and in click itself
    root: Any = typer.main.get_command(app)
    commands = list(_walk("ccindex", root))
    parts = [
        INTRODUCTION.format(note=GENERATED_NOTE),
        table(["command", "purpose"], ((link(name), _first_sentence(command)) for name, command in commands[1:])),
        "\n## Common options\n\n",
        code_block(_option_table(_common_options(commands))),
        *(f"\n## {name}\n\n{code_block(_help_text(name, command))}" for name, command in commands),
    ]
    return "".join(parts)


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield (full name, command) for a command and all its subcommands, groups before their commands."""
    pending = [(name, command)]
    while pending:
        name, command = pending.pop(0)
        yield name, command
        subcommands = getattr(command, "commands", {})
        pending = [(f"{name} {key}", subcommands[key]) for key in subcommands] + pending


def _first_sentence(command: Any) -> str:
    return " ".join((command.help or "").split("\n\n")[0].split())


def _common_options(commands: list[tuple[str, Any]]) -> list[Any]:
    """Return the common options. Raise ValueError if a command lacks one of them."""
    common: list[Any] = []
    for name, command in commands:
        if hasattr(command, "commands"):
            continue
        common = [item for item in command.params if item.name in _COMMON_OPTIONS]
        if len(common) != len(_COMMON_OPTIONS):
            raise ValueError(f"{name} does not have all of the options {_COMMON_OPTIONS}")
    return common


def _help_text(name: str, command: Any) -> str:
    items = [item for item in command.params if item.name not in {*_COMPLETION_OPTIONS, *_COMMON_OPTIONS}]
    arguments = [item for item in items if item.param_type_name == "argument"]
    subcommand = ["COMMAND"] if hasattr(command, "commands") else []
    usage = [name, "[OPTIONS]", *map(_argument_usage, arguments), *subcommand]
    paragraphs = [_paragraph(part) for part in (command.help or "").split("\n\n")]
    return "\n\n".join(filter(None, [" ".join(usage), *paragraphs, _option_table(items)]))


def _paragraph(text: str) -> str:
    r"""Return a paragraph of a help text, indented. A paragraph that starts with \b keeps its line breaks."""
    if text.startswith("\b\n"):
        return textwrap.indent(text.removeprefix("\b\n"), "  ")
    return wrap(" ".join(text.split()), "  ")


def _option_table(items: list[Any]) -> str:
    rows = [(_label(item), _description(item)) for item in items]
    indent = max((len(label) for label, _ in rows), default=0) + 4
    return "\n".join(
        wrap(f"{label:<{indent - 4}}  {description}", "  ", hanging_indent=" " * indent) for label, description in rows
    )


def _argument_usage(item: Any) -> str:
    name = _label(item) + ("..." if item.nargs == -1 else "")
    return name if item.required else f"[{name}]"


def _label(item: Any) -> str:
    if item.param_type_name == "argument":
        return str(item.metavar or item.name.upper())
    label = ", ".join([*item.opts, *item.secondary_opts])
    return label if item.is_flag else f"{label} {item.metavar or item.name.strip('_').upper()}"


def _description(item: Any) -> str:
    notes = ["Required."] if item.required and item.param_type_name == "option" else []
    if item.show_default and isinstance(item.default, int | str) and not isinstance(item.default, bool):
        notes.append(f"Default: {item.default}.")
    return " ".join([item.help or "", *notes])
