"""Every declared provider's ways of taking a job, found by asking: no list of providers, no handle by hand.

A way is a path that jobs go to and the kind of handle that comes of it. Jobs are the shortest inputs of the
catalog's routes; what the simulator really answers to them is the material that laws are tried with.
"""

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import httpx

from local.machine.service import PROVIDERS
from tests.unit.catalog.cases import CATALOG
from tests.unit.providers.mapping_support import A, V, shortest
from tests.unit.providers.support import KEY, connected
from tollgate.kit.errors import InvalidInputError
from tollgate.providers.mapping.images import CannotMapError
from tollgate.providers.runtime.accounts import media_accounts
from tollgate.providers.runtime.adapter import MediaAdapter
from tollgate.providers.runtime.base import Job, MediaProvider
from tollgate.providers.runtime.outcomes import Handle, SubmitOutcome, Submitted, Succeeded
from tollgate.providers.runtime.registry import providers

NAMES = sorted(media_accounts())
"""All that speak HTTP: all but the service's own test provider."""
HOOK = "http://127.0.0.1:9"
"""Some jobs have to name an address to call back; nobody listens there."""
PROMPT = "a fox"
_KLING = {"resolution": "720p", "duration": 5, "aspectRatio": "16:9", "generateAudio": False}
_MJ = {"relax": "mj-relax/mj", "fast": "mj-fast/mj", "turbo": "mj-turbo/mj", "video": "mj-fast/mj"}
UNROUTED: Mapping[tuple[str, str], tuple[Mapping[str, str], Mapping[str, Any]]] = {
    ("kling", "kling-2.6"): ({"default": "kling-v2-6"}, {"prompt": PROMPT, **_KLING}),
    ("kling", "kling-3.0"): ({"text": "text-to-video/kling-3.0"}, {"prompt": PROMPT, **_KLING}),
    ("kling", "kling-3.0-turbo"): ({"text": "text-to-video/kling-3.0-turbo"}, {"prompt": PROMPT, **_KLING}),
    ("kling", "kling-motion-control"): (
        {"default": "motion-control/kling-3.0"},
        {"imageUrls": [A], "videoUrls": [V], "characterOrientation": "video", "resolution": "1080p"},
    ),
    ("minimax", "hailuo"): (
        {"default": "MiniMax-Hailuo-2.3"},
        {"prompt": PROMPT, "duration": 6, "resolution": "768p"},
    ),
    ("mjproxy", "midjourney"): (_MJ, {"prompt": PROMPT, "action": "imagine", "speed": "relax"}),
    ("mjproxy", "midjourney-video"): (_MJ, {"imageUrls": [A], "motion": "high"}),
}
"""Upstream and values for mappings that no model of the shipped catalog has: an operator can push one."""

Respond = Callable[[httpx.Request], httpx.Response]
Said = Callable[[], httpx.Response] | httpx.TransportError
"""An answer, made anew for each request, or what happens in its place."""


class Wire(httpx.BaseTransport):
    """What is there in place of the network: answers by a function, and keeps what was sent and answered."""

    def __init__(self, respond: Respond) -> None:
        self.respond = respond
        self.sent: list[httpx.Request] = []
        self.answers: list[tuple[int, bytes]] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.sent.append(request)
        return self.respond(request)

    def says(self, *answers: Said) -> None:
        """Answer these one after the other; the last one stays."""
        self.sent.clear()
        left = deque(answers)

        def respond(_: httpx.Request) -> httpx.Response:
            said = left.popleft() if len(left) > 1 else left[0]
            if isinstance(said, httpx.TransportError):
                raise said
            return said()

        self.respond = respond


def _through(network: httpx.HTTPTransport, wire: Wire) -> Respond:
    """Return the real network, noting its answers."""

    def respond(request: httpx.Request) -> httpx.Response:
        answer = network.handle_request(request)
        body = answer.read()
        wire.answers.append((answer.status_code, body))
        return httpx.Response(answer.status_code, content=body, headers={"content-type": "application/json"})

    return respond


@dataclass(frozen=True)
class Way:
    """One way of a provider: a job, and what became of it at the simulator.

    `handle` is none where the answer is the result. `answers` is all that the simulator answers on this
    way, `submitted` the answer to the submit, `before` those to what is sent before it (uploads).
    """

    provider: str
    shape: str
    job: Job
    handle: Handle | None
    submitted: bytes
    before: tuple[bytes, ...]
    answers: list[Any] = field(default_factory=list, repr=False)

    def saying(self, direction: str) -> Job:
        """Return the job with a direction in its prompt."""
        return replace(self.job, values={**self.job.values, "prompt": f"{PROMPT} {direction}"})


def adapter(provider: str, base_url: str, wire: Wire) -> MediaProvider:
    """Return a provider's adapter, as its declaration makes it, on another wire."""
    declared = providers()[provider]
    made: type[MediaAdapter] = declared.module("media").Adapter
    return made.connect(declared, KEY, base_url, wire)


def base_url(provider: str, simulator_url: str) -> str:
    """Return where the simulator speaks for a provider's media."""
    return providers()[provider].media_url(simulator_url + PROVIDERS[provider].simulator_path)


def simulated(provider: str, simulator_url: str, key: str = KEY) -> MediaProvider:
    """Return a provider's adapter at the simulator."""
    return connected(provider, base_url(provider, simulator_url), key)


def jobs_of(provider: str) -> Iterator[Job]:
    """Return the shortest jobs of each mapping, without an image and with one."""
    for name in providers()[provider].mappers():
        routed = False
        for upstream, values in _inputs(provider, name):
            routed = True
            yield Job("task_law", name, upstream, values, HOOK)
        assert routed, f"{provider} {name} has neither a route in the catalog nor a job in UNROUTED"


def _inputs(provider: str, mapping: str) -> Iterable[tuple[Mapping[str, str], Mapping[str, Any]]]:
    if (provider, mapping) in UNROUTED:
        yield UNROUTED[provider, mapping]
    for model in CATALOG.media_models():
        for route in model.routes:
            if (route.provider, route.mapping) == (provider, mapping):
                values = shortest(model)
                yield route.upstream, values
                try:
                    yield route.upstream, model.check({**_given(values), "imageUrls": [A]}).values
                except InvalidInputError:
                    continue


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in ("prompt", "size", "imageUrls")}


@cache
def ways(provider: str, simulator_url: str) -> Mapping[str, Way]:
    """Return a provider's ways by their shape; at least one."""
    wire = Wire(lambda _: httpx.Response(500))
    with httpx.HTTPTransport() as network:
        wire.respond = _through(network, wire)
        found = _found(provider, simulator_url, wire)
        refused = {} if found else _outcomes(provider, simulator_url, wire)
        assert found, f"no job of {provider} gets through its mapping to the simulator: {refused}"
    return found


def _found(provider: str, simulator_url: str, wire: Wire) -> Mapping[str, Way]:
    found: dict[str, Way] = {}
    at = adapter(provider, base_url(provider, simulator_url), wire)
    for job in jobs_of(provider):
        asked = replace(job, values={**job.values, "prompt": PROMPT})
        if not _is_mapped(provider, asked):
            continue
        wire.sent.clear()
        wire.answers.clear()
        outcome = at.submit(asked)
        if not isinstance(outcome, Submitted | Succeeded):
            continue  # a model that the simulator has not at this provider: its route is off
        shape = _shape(provider, asked, wire, outcome)
        if shape not in found:
            found[shape] = _way(at, wire, provider, shape, asked, outcome)
    return found


def _outcomes(provider: str, simulator_url: str, wire: Wire) -> dict[str, SubmitOutcome]:
    """Return the outcome of each job, by its mapping and its fields."""
    at = adapter(provider, base_url(provider, simulator_url), wire)
    return {f"{job.mapping}: {' '.join(job.values)}": at.submit(job) for job in jobs_of(provider)}


def _way(
    at: MediaProvider, wire: Wire, provider: str, shape: str, job: Job, outcome: Submitted | Succeeded
) -> Way:
    """Return a way with all that the simulator answers on it, whether it goes well or not."""
    handle = json.loads(json.dumps(outcome.handle)) if isinstance(outcome, Submitted) else None
    *before, submitted = (body for _, body in wire.answers)
    made = Way(provider, shape, job, handle, submitted, tuple(before))
    if handle is not None:
        at.poll(handle)
    for direction in ("[[fail]]", "[[reject]]"):
        ended = at.submit(made.saying(direction))
        if isinstance(ended, Submitted):
            at.poll(ended.handle)
    made.answers.extend(json.loads(body) for _, body in wire.answers)
    return made


def _is_mapped(provider: str, job: Job) -> bool:
    try:
        providers()[provider].mappers()[job.mapping](job)
    except CannotMapError:
        return False
    return True


def _shape(provider: str, job: Job, wire: Wire, outcome: Submitted | Succeeded) -> str:
    """Return what tells ways apart: where the job goes, in how many requests, and what its handle has.

    A word in the handle that was not in the answer is ours, and says which kind it is.
    """
    upstream = providers()[provider].mappers()[job.mapping](job).upstream
    path = wire.sent[-1].url.path.replace(f"/{upstream}", "/{model}")
    _, answer = wire.answers[-1]
    handle = outcome.handle if isinstance(outcome, Submitted) else {}
    names = [name if str(value).encode() in answer else f"{name}={value}" for name, value in handle.items()]
    return f"{len(wire.sent)} {path} {'at once' if not handle else ' '.join(names)}"
