"""An image in OpenAI's protocol that takes longer than an answer is held back, for the official SDK."""

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from openai import APIStatusError, AsyncOpenAI

from api import images
from api.app import app
from tests.functional.conftest import balance_cents
from tests.support.samples import PAID_IMAGE
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.tasks.waiting import MAX_WAIT_S


class TestWhatTakesLonger:
    @pytest.fixture
    def waited(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """Return the pauses that a request makes; none of them takes any time."""
        made: list[float] = []

        async def pause(seconds: float) -> None:
            made.append(seconds)

        monkeypatch.setattr(images, "anyio", SimpleNamespace(sleep=pause))
        return made

    def test_it_names_its_task_and_goes_on(self, customer: OpenedAccount, waited: list[float]) -> None:
        with pytest.raises(APIStatusError) as raised:
            asyncio.run(generate(customer.api_key))
        assert (raised.value.status_code, raised.value.code) == (504, "task_pending")
        assert sum(waited) == MAX_WAIT_S
        body: Any = raised.value.body
        (task,) = api_parts.api().reader.page(customer.account_id, {})["tasks"]
        assert (task["taskId"], task["status"]) == (body["taskId"], "not_started")
        # Once: the SDK did not repeat it by itself.
        assert balance_cents(customer) == 99


async def generate(api_key: str) -> None:
    """Ask for an image that nobody works on, as the SDK's documentation has it."""
    wire = httpx2.AsyncClient(transport=httpx2.ASGITransport(app))
    async with AsyncOpenAI(base_url="https://api.test/api/v1", api_key=api_key, http_client=wire) as client:
        await client.images.generate(model=PAID_IMAGE, prompt="a lighthouse at dusk")
