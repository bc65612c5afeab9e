"""One network for a vendor's own client and our adapter: both call the vendor, and reach the simulator."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.truth.cases import Case
from tests.unit.providers.ways import adapter, base_url
from tollgate.providers.runtime.outcomes import Submitted, Succeeded
from tollgate.providers.runtime.registry import providers


@dataclass(frozen=True)
class Sent:
    """A request as a vendor would get it: method, address, how the key came, and the body's JSON."""

    method: str
    url: str
    key: str | None
    body: Any


class Vendor(httpx.BaseTransport):
    """The network: what goes to the vendor's own address is noted, and answered by the simulator."""

    def __init__(self, provider: str, simulator_url: str) -> None:
        self.declared = providers()[provider]
        self.simulated = base_url(provider, simulator_url)
        self.sent: list[Sent] = []
        self._network = httpx.HTTPTransport()

    def reroute(self, url: str) -> str:
        """Return where the simulator speaks for an address of the vendor's."""
        own = self.declared.base_url
        assert url.startswith(own), f"{url} is no address of {own}"
        return self.simulated + url.removeprefix(own)

    def note(self, method: str, url: str, headers: Any, body: bytes | str | None) -> None:
        header = self.declared.auth.header or "authorization"
        said = {name.lower(): value for name, value in headers.items()}
        self.sent.append(Sent(method, url, said.get(header), json.loads(body) if body else None))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.note(request.method, str(request.url), request.headers, request.content)
        url = httpx.URL(self.reroute(str(request.url)))
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        with httpx.Client(transport=self._network) as network:
            answer = network.request(request.method, url, headers=headers, content=request.content)
        plain = {"content-type": answer.headers.get("content-type", "application/json")}
        # Addresses of jobs in an answer are the vendor's too.
        content = answer.content.replace(self.simulated.encode(), self.declared.base_url.encode())
        return httpx.Response(answer.status_code, headers=plain, content=content, request=request)

    def take(self) -> list[Sent]:
        """Return what was sent since the last time."""
        found, self.sent = self.sent, []
        return found


@dataclass
class Ours:
    """Our adapter on that network."""

    vendor: Vendor
    adapter: Any = field(init=False)

    def __post_init__(self) -> None:
        declared = self.vendor.declared
        network: Any = self.vendor
        self.adapter = adapter(declared.name, declared.base_url, network)

    def submit(self, case: Case) -> tuple[Sent, Any]:
        """Return the submit of a job that the simulator takes."""
        self.vendor.take()
        outcome = self.adapter.submit(case.job)
        assert isinstance(outcome, Submitted | Succeeded), (case.model, case.body, outcome)
        (sent,) = self.vendor.take()
        return sent, outcome

    def poll(self, outcome: Submitted) -> tuple[list[Sent], Succeeded]:
        """Return the polls of a job, which is done."""
        self.vendor.take()
        done = self.adapter.poll(outcome.handle)
        assert isinstance(done, Succeeded), done
        return self.vendor.take(), done


def urls(outcome: Succeeded) -> list[str]:
    """Return the addresses of a result's files, as our adapter read them."""
    return [file.url for file in outcome.files if hasattr(file, "url")]


def some(cases: tuple[Case, ...], each: int = 6) -> Iterator[Case]:
    """Return the first few cases of each of the vendor's models."""
    seen: dict[str, int] = {}
    for case in cases:
        seen[case.upstream] = seen.get(case.upstream, 0) + 1
        if seen[case.upstream] <= each:
            yield case
