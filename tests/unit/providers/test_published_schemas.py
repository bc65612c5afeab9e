"""Requests fit the schemas that providers publish, so a wrong note of ours turns a test red.

`tests/truth/published/` has the schemas of the models that the catalog uses, with their source and day. A new
version of a file replaces the old one.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from local.template import ROOT
from tests.truth.cases import Case, cases
from tests.unit.catalog import music_cases
from tests.unit.catalog.cases import CATALOG
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.base import Job
from tollgate.providers.runtime.registry import providers

PUBLISHED = {path.stem: path for path in sorted((Path(ROOT) / "tests/truth/published").glob("*.json"))}
DRAWN = 16
"""Inputs of each model, besides its shortest."""


def written(provider: str) -> Iterator[Case]:
    """Return the requests of the provider's mapping test, which are our notes."""
    name = f"tests.unit.providers.test_{provider}_mapping"
    for model, source, upstream, body in import_module(name).CASES if find_spec(name) else ():
        yield Case(model, Job("task_1", "", {}, source), upstream, body)


def bodies(provider: str) -> list[Case]:
    """Return all requests. An image that is uploaded first counts as the number that it gets."""
    sent = [*cases(provider, DRAWN), *songs(provider), *written(provider)]
    return [replace(one, body=json.loads(json.dumps(one.body, default=lambda upload: 1))) for one in sent]


def schemas(provider: str) -> dict[str, Any]:
    models: dict[str, Any] = json.loads(PUBLISHED[provider].read_text())["models"]
    # Fields without a description are not sent, unless the provider says that it takes others.
    return {name: {"additionalProperties": False, **schema} for name, schema in models.items()}


def songs(provider: str) -> Iterator[Case]:
    """Return the actions of music, most of which need an earlier task."""
    model = CATALOG.media_model("suno")
    for route in model.routes:
        for _, source, faulty in music_cases.MUSIC if route.provider == provider else ():
            values = {} if faulty else model.check(source).values
            if values and route.can_run(values):
                job = Job("task_1", route.mapping, route.upstream, values)
                with suppress(CannotMapError):
                    said = providers()[provider].mappers()[route.mapping](job)
                    yield Case("suno", job, said.upstream, said.body)


@pytest.mark.parametrize("provider", PUBLISHED)
def test_requests_fit_the_published_schemas(provider: str) -> None:
    found: dict[str, list[str]] = {}
    sent = bodies(provider)
    for name, schema in schemas(provider).items():
        check = jsonschema_rs.validator_for(schema)
        for case in sent:
            if case.upstream == name:
                faults = [f"{error.instance_path} {error.message}" for error in check.iter_errors(case.body)]
                found |= {f"{case.model} {case.job.values}": faults} if faults else {}
    assert found == {}


@pytest.mark.parametrize("provider", PUBLISHED)
def test_every_published_schema_is_of_a_model_in_use(provider: str) -> None:
    routes = [route for model in CATALOG.media_models() for route in model.routes if route.enabled]
    used = {name for route in routes if route.provider == provider for name in route.upstream.values()}
    assert schemas(provider).keys() <= used | {case.upstream for case in bodies(provider)}
