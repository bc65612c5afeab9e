"""The operator's command as a whole: it starts quickly, and its list describes each command."""

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from local.template import ROOT
from tollgate.command.app import COMMANDS, cli

HEAVY = ("boto3", "fastapi", "tollgate.catalog.loader", "tollgate.composition.command")
"""Packages that take longer to import than a command may take that needs none of them."""
PROGRAM = """
import runpy, sys
try:
    runpy.run_module("tollgate", run_name="__main__", alter_sys=True)
finally:
    print(*sys.modules, file=sys.stderr)
"""


def imported_by(*words: str) -> set[str]:
    """Run a command in a process, and return the modules that it imported."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return set(ran.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("words", [("--help",), ("no-such-command",)])
def test_the_help_imports_no_service(words: tuple[str, ...]) -> None:
    found = imported_by(*words)
    assert "tollgate.command.app" in found
    assert found.isdisjoint(HEAVY)


def test_a_command_without_a_service_is_refused_before_the_services_are_imported() -> None:
    found = imported_by("accounts", "list", "--local", "nowhere")
    assert "tollgate.command.accounts" in found
    assert found.isdisjoint(("boto3", "tollgate.composition.command"))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_describes_each_command_as_its_own_help_does(name: str) -> None:
    """The list reads the sources; a command's own help is of the imported command."""
    both = [
        CliRunner().invoke(cli, words, env={"COLUMNS": "300"}) for words in (["--help"], [name, "--help"])
    ]
    listed, own = (" ".join(each.stdout.split()) for each in both)
    (line,) = (each for each in both[0].stdout.splitlines() if f"│ {name} " in each)
    description = line.split(maxsplit=2)[2].rstrip("│ ")
    assert description
    assert description in own, listed


@pytest.mark.parametrize("words", [(), ("accounts",)])
def test_a_group_without_a_command_shows_its_help_and_no_empty_error(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, result.stderr) == (2, "")
    assert "Usage: " in result.stdout
