import asyncio

import httpx

from local.simulator.app import create_app
from tests.unit.simulator.support import HandClock

ORDER = {"model": "z-image", "input": {"prompt": "a fox", "size": "1:1"}}
AUTH = {"authorization": "Bearer key"}


class TestControl:
    def test_health(self, http: httpx.Client) -> None:
        answer = http.get("/healthz")
        assert (answer.status_code, answer.json()) == (200, {"ok": True})

    def test_jobs_are_listed_by_prompt_and_cleared(self, http: httpx.Client) -> None:
        for _ in range(2):
            http.post("/poyo/api/generate/submit", json=ORDER, headers=AUTH)
        row = {"provider": "poyo", "model": "z-image", "prompt": "a fox"}
        assert http.get("/_jobs").json() == [{**row, "submits": 2, "accepted": 2, "polls": 0}]
        assert http.delete("/_jobs").status_code == 204
        assert http.get("/_jobs").json() == []

    def test_an_unpaired_surrogate_in_a_prompt_is_refused_and_shown(self, http: httpx.Client) -> None:
        content = b'{"model":"z-image","input":{"prompt":"a \\ud800 fox","size":"1:1"}}'
        assert http.post("/poyo/api/generate/submit", content=content, headers=AUTH).status_code == 400
        assert http.get("/_jobs").json()[0]["prompt"] == "a ? fox"


class TestCreateApp:
    def test_job_seconds_holds_for_every_job_without_a_direction(self) -> None:
        clock = HandClock()

        async def state_after(seconds: float) -> str:
            transport = httpx.ASGITransport(create_app(clock=clock, job_seconds=10))
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                submitted = await client.post("/poyo/api/generate/submit", json=ORDER, headers=AUTH)
                clock.advance_s(seconds)
                task_id = submitted.json()["data"]["task_id"]
                status = await client.get(f"/poyo/api/generate/status/{task_id}", headers=AUTH)
                return str(status.json()["data"]["status"])

        assert asyncio.run(state_after(9)) == "running"
        assert asyncio.run(state_after(10)) == "finished"
