"""What a submit goes through at any provider; each says in its own words what came of it."""

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
"""An input that a model does not take; some providers say it with the other status."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A submit that is not taken: its HTTP status, and why in words."""

    status: int
    why: str


async def body_of(request: Request) -> dict[str, Any]:
    """Return the body, empty where it is no object: then what it must have is missing."""
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
    """Take the job that `given` asks of `model`, or tell why not; without `job_id` it gets one.

    Raises `LostAnswerError` where the prompt says so.
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
    """Return the job of that id if the key's owner made it."""
    job = engine.find(job_id)
    return job if job is not None and job.owner == key else None
