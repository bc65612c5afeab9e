"""The progress of a wait in a terminal: a bar if Rich is installed, or else one line that is overwritten."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tollgate_client.models import Progress

Show = Callable[[Progress], None]


@contextlib.contextmanager
def shown_progress(title: str, given: Show | None) -> Iterator[Show | None]:
    """Yield the receiver of the progress: `given`, the terminal, or `None` without a terminal."""
    if given is not None or not sys.stderr.isatty():
        yield given
        return
    if importlib.util.find_spec("rich") is None:
        yield lambda progress: _plain(title, progress)
        sys.stderr.write("\n")
        return
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns: tuple[Any, ...] = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(title, total=None, state="")

        def show(progress: Progress) -> None:
            percent = progress.percent
            bars.update(
                bar,
                total=None if percent is None else 100,
                completed=percent or 0,
                state=progress.task.status,
            )

        yield show


def _plain(title: str, progress: Progress) -> None:
    percent = "" if progress.percent is None else f" {progress.percent} %"
    sys.stderr.write(f"\r{title}: {progress.task.status}{percent}, {progress.elapsed_s:.0f} s   ")
    sys.stderr.flush()
