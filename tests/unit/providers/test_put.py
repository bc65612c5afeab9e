"""A vendor that creates jobs by PUT, at a path with the caller's id: its adapter and its simulator."""

from dataclasses import replace

import httpx
from starlette.responses import JSONResponse
from starlette.routing import Route

from local.simulator.engine import Engine
from local.simulator.jobs import JobStore
from local.simulator.providers import table
from tests.unit.providers.mapping_support import job_of
from tests.unit.providers.support import KEY
from tests.unit.providers.ways import Wire
from tests.unit.simulator.support import HandClock
from tollgate.providers.media.muapi.media import Adapter
from tollgate.providers.runtime.adapter import Submission
from tollgate.providers.runtime.base import Job, Mapped
from tollgate.providers.runtime.outcomes import Submitted
from tollgate.providers.runtime.registry import providers


class Puts(Adapter):
    """A reseller that has MuAPI's answers."""

    def submission(self, job: Job, mapped: Mapped) -> Submission:
        """Return the request."""
        return replace(super().submission(job, mapped), path=f"/jobs/{job.task_id}", method="PUT")


def test_its_adapter_sends_a_put() -> None:
    wire = Wire(lambda _: httpx.Response(200, json={"request_id": "r-1"}))
    connected = Puts.connect(providers()["muapi"], KEY, "https://api.test", wire)
    assert connected.submit(job_of("muapi", "flux-3-klein", {"prompt": "a fox"})) == Submitted(
        {"request_id": "r-1"}
    )
    assert [(sent.method, sent.url.path) for sent in wire.sent] == [("PUT", "/jobs/task_1")]


def test_its_simulator_takes_only_a_put() -> None:
    submit = table.Submit("/jobs/{id}", {}, table.in_body, lambda _: {}, method="PUT")
    wire = table.Wire(key=table.bearer, error=lambda _: JSONResponse({}), submits=(submit,))
    routes = table.router(wire)(Engine("muapi", JobStore(), HandClock(), 0)).routes
    assert [(one.path, one.methods) for one in routes if isinstance(one, Route)] == [("/jobs/{id}", {"PUT"})]
