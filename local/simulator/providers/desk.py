"""The checks of a submit at any provider. Each provider returns the result in its format."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request

from local.simulator.engine import Engine
from local.simulator.jobs import Job
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput
from local.simulator.wire import json_object, text

INVALID, BAD_REQUEST = 422, 400
"""The statuses of an invalid input. Some providers use the second."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A submit that was refused: its HTTP status, and the reason."""

    status: int
    why: str


async def body_of(request: Request) -> dict[str, Any]:
    """Return the body; empty if it is not a JSON object, so that its required fields are missing."""
    return await json_object(request) or {}


async def taken(
    engine: Engine,
    key: str | None,
    model: str,
    given: Mapping[str, Any],
    models: Mapping[str, type[ModelInput]],
    *,
    job_id: str | None = None,
) -> Job | Refused:
    """Accept the job that `given` requests from `model`, or return the reason to refuse it.

    The default `job_id` is a new one. Raises `LostAnswerError` if the prompt directs it.
    """
    if key is None:
        return Refused(401, "The key is not good.")
    visit = engine.receive(text(model), text(given.get("prompt")))
    if visit.refused_status is not None:
        return Refused(visit.refused_status, "The prompt says so.")
    model_input = input_of(engine.provider, visit.model, models)
    if model_input is None:
        return Refused(404, f"There is no model {visit.model}.")
    try:
        asked = model_input.model_validate(dict(given))
    except ValidationError as error:
        first = error.errors()[0]
        return Refused(INVALID, f"{'.'.join(map(str, first['loc']))}: {first['msg']}")
    artifacts = asked.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    return await engine.accept(visit, job_id or secrets.token_hex(16), key, artifacts)


def own_job(engine: Engine, key: str | None, job_id: str) -> Job | None:
    """Return the job with that id if the key's owner created it."""
    job = engine.find(job_id)
    return job if job is not None and job.owner == key else None
