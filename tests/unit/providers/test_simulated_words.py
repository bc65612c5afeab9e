"""The simulator understands a vendor's words for a shape, a length and a sound: results are as requested.

Without this, a field that it accepts but does not understand would change nothing in any result.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from local.simulator.jobs import Job as SimulatedJob
from local.simulator.jobs import JobStore
from local.simulator.media import Artifact
from local.simulator.media.mp4 import Mp4
from local.simulator.media.picture import Picture
from tests.unit.providers.mapping_support import shortest
from tests.unit.providers.test_mapping_catalog import SHORT, job_for, takes
from tests.unit.providers.ways import NAMES, simulated
from tollgate.catalog.models import Model, Route
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.runtime.registry import providers

UPRIGHT = "9:16"
LENGTHS_S = (4, 6, 7, 8, 10)
WANTED: Mapping[str, tuple[Any, ...]] = {
    "aspectRatio": (UPRIGHT,),
    "size": (UPRIGHT,),
    "duration": LENGTHS_S,
    "generateAudio": (True,),
    "audio": (True,),
}
"""Values of fields that a result shows; of lengths, the first that the model has."""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Artifact]:
    """Return the files of the jobs that the simulator accepts, without rendering any."""
    files: list[Artifact] = []
    add = JobStore.add

    def added(self: JobStore, job: SimulatedJob) -> None:
        files.extend(job.artifacts)
        add(self, job)

    monkeypatch.setattr(JobStore, "add", added)
    return files


def requests(provider: str) -> Iterator[tuple[Model, Route, str, Any]]:
    """Yield a value of each field in `WANTED` that changes the request of a route."""
    for model, route in SHORT:
        for name, values in WANTED.items() if route.provider == provider else ():
            for value in values:
                if changes_the_request(model, route, {name: value}):
                    yield model, route, name, value
                    break


def changes_the_request(model: Model, route: Route, given: Mapping[str, Any]) -> bool:
    """Return whether a field changes the request. An image as the input often has a shape of its own."""
    try:
        values = model.check({**shortest(model), **given}).values
    except InvalidInputError:
        return False
    mapper = providers()[route.provider].mappers()[route.mapping]
    return takes(route, values) and mapper(job_for(route, values)) != mapper(job_for(route, shortest(model)))


def shown(file: Artifact, name: str) -> Any:
    """Return the value of a field that a file shows."""
    if name == "duration":
        return file.duration_s if isinstance(file, Mp4) else None
    if name in ("generateAudio", "audio"):
        return isinstance(file, Mp4) and file.audio
    width, height = file.aspect if isinstance(file, Mp4) else (0, 0)
    if isinstance(file, Picture):
        width, height = file.width_px, file.height_px
    return UPRIGHT if width < height else f"{width}x{height}"


@pytest.mark.parametrize("provider", NAMES)
def test_a_result_has_the_requested_shape_length_and_sound(
    provider: str, simulator_url: str, made: list[Artifact]
) -> None:
    at = simulated(provider, simulator_url)
    for model, route, name, value in requests(provider):
        made.clear()
        at.submit(job_for(route, model.check({**shortest(model), name: value}).values))
        assert shown(made[0], name) == value, (
            f"{model.id} at {provider}: the simulator does not understand the vendor's word for {name}; "
            "its table declares that by `usual` (local/simulator/providers/inputs.py)"
        )
