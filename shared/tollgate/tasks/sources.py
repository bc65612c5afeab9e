"""Keeps the files that decided a price, so that the provider gets the priced files.

A URL can serve another file after it was measured. Before a submit, each measured file is copied into our
storage under a new name, and the copy is measured again. The provider reads the copy, which never changes
(decision 0009).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.artifacts.inputs import InputStore
from tollgate.artifacts.store import ArtifactStore, CopyError
from tollgate.kit.observability import logger
from tollgate.probing.facts import ProbedMedia
from tollgate.probing.service import Prober
from tollgate.providers.runtime.outcomes import Rejected, RejectionKind
from tollgate.tasks.models import Task

CHANGED = "A file at a URL of the input is another one than the file that was priced."
UNREADABLE = "A file at a URL of the input could not be read a second time."


@dataclass(frozen=True, slots=True)
class SourceKeeper:
    """Copies and measures the files of tasks."""

    store: ArtifactStore
    inputs: InputStore
    prober: Prober

    def keep(
        self, task: Task, values: Mapping[str, Any], heartbeat: Callable[[], None]
    ) -> Mapping[str, Any] | Rejected:
        """Return the values with copies instead of the measured files at foreign URLs.

        Returns the rejection if a file cannot be read, or is another one now. Raises the SDK's errors.
        """
        if not task.measured:
            return values
        urls = list(task.measured)
        try:
            kept = dict(zip(urls, self.store.keep(urls, task.task_id, heartbeat), strict=True))
        except CopyError as exc:
            logger.info("sources.unreadable", task_id=task.task_id, detail=exc.detail)
            return Rejected(RejectionKind.INPUT, UNREADABLE)
        signed = {url: self.inputs.readable_url(copy) for url, copy in kept.items()}
        found = self.prober.probe(list(signed.values()))
        for url, facts in task.measured.items():
            now = found[signed[url]]
            if not isinstance(now, ProbedMedia) or now.body() != facts:
                logger.warning("sources.changed", task_id=task.task_id)
                return Rejected(RejectionKind.INPUT, CHANGED)
        return replaced(values, kept)


def replaced(values: Mapping[str, Any], by: Mapping[str, str]) -> dict[str, Any]:
    """Return values with other URLs, at any depth."""
    return {name: _replaced(value, by) for name, value in values.items()}


def _replaced(value: Any, by: Mapping[str, str]) -> Any:
    match value:
        case str():
            return by.get(value, value)
        case list():
            return [_replaced(one, by) for one in value]
        case dict():
            return replaced(value, by)
        case _:
            return value
