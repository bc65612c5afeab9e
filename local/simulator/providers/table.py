"""One router for all providers whose API can be written as a table (`Wire`).

A table has three parts. A `Submit` is a path that accepts jobs, a `Look` is a path that shows or cancels
one, and `error` is the format of refusals. Only the table and the functions in it know the provider's words.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from local.simulator.engine import Engine, Visit
from local.simulator.inline import inline_files
from local.simulator.jobs import Job, JobState
from local.simulator.providers.families import input_of
from local.simulator.providers.inputs import ModelInput, problem_of
from local.simulator.wire import api_key, header_key, json_object, said, text

INVALID, BAD_REQUEST = 422, 400
"""The usual status of an invalid input, and the status that some providers have for it."""
WAITING = (JobState.QUEUED, JobState.RUNNING)
ENDED = (JobState.SUCCEEDED, JobState.FAILED, JobState.REJECTED, JobState.CANCELLED)


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal: its HTTP status, and its reason."""

    status: int
    why: str = ""
    """The reason, if the provider's usual words for the status do not state it."""
    plain: str = ""
    """The reason in our words, for a provider that has no usual words."""
    code: int | str | None = None
    """The provider's code, if the status does not determine it."""
    directed_status: int | None = None
    """The HTTP status, if the prompt directs it. Some providers have another one only then."""

    @property
    def said(self) -> str:
        """Return the reason."""
        return self.why or self.plain


Answer = dict[str, Any] | Refused | Response
"""The JSON of a response, a refusal, or a whole response."""
BAD_KEY = Refused(401, plain="The key is not good.")


@dataclass(frozen=True, slots=True)
class Asked:
    """The content of a submit: a model and its input."""

    model: Any
    given: Mapping[str, Any]
    job_id: str | None = None
    """The job's id, if the caller chooses it."""
    callback_url: str | None = None
    is_inline: bool = False
    """Whether the response has the files themselves and not their addresses."""
    prompt: Any = None
    """The text with the directions, if the input has no `prompt`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A job in the state in which a response shows it."""

    engine: Engine
    request: Request
    job: Job
    state: JobState
    given: Mapping[str, Any] = field(default_factory=dict)
    """The input, in the response to a submit."""
    inline: list[str] = field(default_factory=list)
    """The files in base64, if the submit asked for them."""

    @property
    def is_done(self) -> bool:
        """Return whether the files are there."""
        return self.state is JobState.SUCCEEDED

    @property
    def urls(self) -> list[str]:
        """Return the files' addresses, none before they are there."""
        return self.engine.file_urls(self.request, self.job) if self.is_done else []

    @property
    def progress(self) -> int:
        """Return the progress, 0 to 100."""
        return self.engine.progress(self.job)


Read = Callable[[Request, dict[str, Any]], Asked | Refused]
Act = Callable[[Engine, Job], None]


@dataclass(frozen=True, slots=True)
class Submit:
    """A path that accepts jobs for `models`; `read` finds the model and the input in a request."""

    path: str
    models: Mapping[str, type[ModelInput]]
    read: Read
    answer: Callable[[Shown], Answer]
    status: int = 200
    at_once: bool = False
    """Whether the response is the result, so it comes when the job has ended."""
    method: str = "POST"


@dataclass(frozen=True, slots=True)
class Look:
    """A path that shows a job, or acts on it."""

    path: str
    answer: Callable[[Shown], Answer]
    method: str = "GET"
    job_id: Callable[[Request], str] = lambda request: str(request.path_params["id"])
    missing: Callable[[Request], Answer] | None = None
    """The response if there is no such job, and it is not the table's `no_job`."""
    acts: Mapping[JobState, Act | Refused] | None = None
    """For each state of the job, the effect of the request or its refusal. `None` for a status request.

    In a state that is missing here, the request has no effect and gets the usual response.
    """


@dataclass(frozen=True, kw_only=True, slots=True)
class Wire:
    """A provider's wire format."""

    key: Callable[[Request], str | None]
    """Where the vendor's documents say that the key is. Not read from our declaration, which may be wrong."""
    error: Callable[[Refused], Response]
    submits: tuple[Submit, ...] = ()
    looks: tuple[Look, ...] = ()
    no_model: Refused | None = None
    no_job: Refused = Refused(404, "Not found")
    other_owner: Refused | None = None
    """The refusal to show another key's job, if it is not `no_job`."""
    invalid: int = INVALID
    """The status of an invalid input."""
    problem: Callable[[ValidationError], str] = problem_of
    """The reason of an invalid input."""
    rejected: Refused | None = None
    """The refusal of rejected content at the submit. Without it, the job is accepted and then ends."""
    error_in_200: Callable[[], Answer] | None = None
    """An error inside HTTP 200, if the provider has this."""
    tells_bad_key: bool = False
    """Whether a look with a bad key gets a 401; else no job is found."""
    new_id: Callable[[], str] = lambda: secrets.token_hex(16)
    check: Callable[[Engine, str, Asked], Refused | Job | None] | None = None
    """Checks a valid input: refuses it, or returns the job that the same request has already created."""


def router(*wires: Wire) -> Callable[[Engine], APIRouter]:
    """Return the function that adds a provider's routes to an engine, by its tables."""

    def routes_of(engine: Engine) -> APIRouter:
        routes = APIRouter()
        for wire in wires:
            for submit in wire.submits:
                routes.add_api_route(submit.path, submitting(engine, wire, submit), methods=[submit.method])
            for look in wire.looks:
                routes.add_api_route(look.path, _looking(engine, wire, look), methods=[look.method])
        return routes

    return routes_of


def submitting(engine: Engine, wire: Wire, submit: Submit) -> Callable[[Request], Awaitable[Response]]:
    """Return the endpoint of a `Submit`.

    It raises `LostAnswerError` and `GarbledAnswerError` if the prompt directs it.
    """

    async def endpoint(request: Request) -> Response:
        return _response(wire, await _submitted(engine, wire, submit, request), submit.status)

    return endpoint


def _looking(engine: Engine, wire: Wire, look: Look) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return _response(wire, _looked(engine, wire, look, request))

    return endpoint


def key_after(scheme: str) -> Callable[[Request], str | None]:
    """Return the function that reads the key after this word in `Authorization`."""
    return lambda request: api_key(request, scheme)


bearer = key_after("Bearer")


def key_in(header: str) -> Callable[[Request], str | None]:
    """Return the function that reads the key in the header of this name."""
    return lambda request: header_key(request, header)


def in_field(name: str) -> Callable[[Request, dict[str, Any]], Asked]:
    """Return the function that reads a body with the model's name in a field of the input."""
    return lambda _, body: Asked(body.pop(name, None), body)


in_body = in_field("model")


def in_path(template: str) -> Read:
    """Return the function that reads the model's name from the path. The body is the input.

    `template` has the path's parameters, e.g. `{owner}/{name}`.
    """
    return lambda request, body: Asked(template.format(**request.path_params), body)


def in_query(name: str) -> Callable[[Request], str]:
    """Return the function that reads a job's id in the query."""
    return lambda request: request.query_params.get(name, "")


_Word = TypeVar("_Word")


def words(
    queued: _Word,
    running: _Word,
    succeeded: _Word,
    failed: _Word,
    *,
    rejected: _Word | None = None,
    cancelled: _Word | None = None,
) -> Mapping[JobState, _Word]:
    """Return a provider's words for the states. `rejected` and `cancelled` default to `failed`."""
    return {
        JobState.QUEUED: queued,
        JobState.RUNNING: running,
        JobState.SUCCEEDED: succeeded,
        JobState.FAILED: failed,
        JobState.REJECTED: failed if rejected is None else rejected,
        JobState.CANCELLED: failed if cancelled is None else cancelled,
    }


def is_done(engine: Engine, key: str, job_id: str) -> bool:
    """Return whether a key's job has files, so that another job can use them."""
    job = engine.find(job_id)
    return job is not None and job.owner == key and engine.state(job) is JobState.SUCCEEDED


async def _submitted(engine: Engine, wire: Wire, submit: Submit, request: Request) -> Answer:
    key = wire.key(request)
    if key is None:
        return BAD_KEY
    asked = submit.read(request, await json_object(request) or {})
    if isinstance(asked, Refused):
        return asked
    taken = await _taken(engine, wire, submit, key, asked)
    if not isinstance(taken, Job):
        return taken
    state, files = JobState.QUEUED, []
    if submit.at_once:
        state = await engine.finish(taken)
        files = await inline_files(taken) if asked.is_inline and state is JobState.SUCCEEDED else []
    return submit.answer(Shown(engine, request, taken, state, asked.given, files))


async def _taken(engine: Engine, wire: Wire, submit: Submit, key: str, asked: Asked) -> Job | Answer:
    visit = engine.receive(text(asked.model), said(asked.given) or text(asked.prompt))
    directed = _directed(wire, visit)
    if directed is not None:
        return directed
    model_input = input_of(engine.provider, visit.model, submit.models)
    if model_input is None:
        return wire.no_model or Refused(404, plain=f"There is no model {visit.model}.")
    try:
        valid = model_input.model_validate(dict(asked.given))
    except ValidationError as error:
        return Refused(wire.invalid, wire.problem(error))
    found = wire.check(engine, key, replace(asked, given=valid.said())) if wire.check else None
    if found is not None:
        return found
    artifacts = valid.artifacts(f"{engine.provider} · {visit.model}", visit.directions.files or 1)
    return await engine.accept(visit, asked.job_id or wire.new_id(), key, artifacts, asked.callback_url)


def _directed(wire: Wire, visit: Visit) -> Answer | None:
    """Return the response that the prompt directs instead of a job."""
    status, directions = visit.refused_status, visit.directions
    if status is not None:
        return Refused(status, plain="The prompt says so.", directed_status=status)
    if directions.retired:
        return wire.no_model or Refused(404, plain=f"There is no model {visit.model}.")
    if directions.error_in_200 and wire.error_in_200:
        return wire.error_in_200()
    return wire.rejected if directions.reject else None


def _looked(engine: Engine, wire: Wire, look: Look, request: Request) -> Answer:
    key, job_id = wire.key(request), look.job_id(request)
    if key is None and wire.tells_bad_key:
        return BAD_KEY
    job = engine.find(job_id)
    if job is not None and job.owner != key and wire.other_owner:
        return wire.other_owner
    if job is None or job.owner != key:
        return look.missing(request) if look.missing else wire.no_job
    if look.acts is None:
        return look.answer(Shown(engine, request, job, engine.poll(job)))
    act = look.acts.get(engine.state(job))
    if isinstance(act, Refused):
        return act
    if act is not None:
        act(engine, job)
        job = engine.find(job_id) or job
    return look.answer(Shown(engine, request, job, engine.state(job)))


def _response(wire: Wire, answer: Answer, status: int = 200) -> Response:
    if isinstance(answer, Refused):
        return wire.error(answer)
    return answer if isinstance(answer, Response) else JSONResponse(answer, status)
