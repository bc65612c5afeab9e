"""A Python interpreter for the programs of one page of the docs.

It is forked from a process that has imported the vendors' SDKs, which takes longer than most programs. Each
page still has a process of its own, with its folder, its environment and its names.
"""

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from tests.support.forks import FORKS

BLOCK_S = 90.0
ERRORS = ".errors"


class Interpreter:
    """A process in `folder` that runs programs one after the other, with the names of those before."""

    def __init__(self, folder: Path, variables: Mapping[str, str]) -> None:
        self._errors = folder / ERRORS
        self._programs, theirs = FORKS.Pipe()
        self._process = FORKS.Process(target=_run_all, args=(theirs, folder, dict(variables)))
        self._process.start()
        theirs.close()

    def run(self, program: Path) -> str:
        """Run a program; return what it printed."""
        self._programs.send(program)
        is_done = False
        # A program that raises ends the process, and its traceback is among the errors.
        with suppress(EOFError):
            is_done = self._programs.poll(BLOCK_S) and self._programs.recv()
        assert is_done, self._errors.read_text()
        return _output_of(program).read_text()

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join(BLOCK_S)
        self._programs.close()


def _output_of(program: Path) -> Path:
    return program.with_suffix(".out")


def _run_all(programs: "Connection[bool, Path]", folder: Path, variables: Mapping[str, str]) -> None:
    """Run each program that arrives, in the environment of a new process with these variables."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    # Installed packages, but nothing of this repository except for the paths that a reader has.
    installed = [each for each in sys.path if each.startswith((sys.prefix, sys.base_prefix))]
    sys.path[:] = ["", *variables["PYTHONPATH"].split(os.pathsep), *installed]
    _redirect(2, Path(ERRORS))
    names = {"__name__": "__main__"}
    with suppress(EOFError):
        while True:
            program = programs.recv()
            _redirect(1, _output_of(program))
            exec(compile(program.read_text(), str(program), "exec"), names)  # noqa: S102 - ours
            sys.stdout.flush()
            programs.send(True)


def _redirect(descriptor: int, file: Path) -> None:
    """Append what is written to a descriptor, here and in child processes, to a file."""
    with file.open("a") as opened:
        os.dup2(opened.fileno(), descriptor)
