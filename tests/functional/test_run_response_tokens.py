"""Background responses of run tokens: a token sees and cancels only those that it created."""

from typing import Any

import pytest

from tests.functional.test_run_response import Aside, run_all, runner, short, start
from tests.functional.text.test_text_token_view import token_of
from tests.support.text_app import TextClient

pytestmark = [
    pytest.mark.ministack,
    pytest.mark.xdist_group("text"),
    pytest.mark.usefixtures("fresh_breaker", "short"),
]
__all__ = ["runner", "short"]


class TestRunTokens:
    def owner_and_other(self, client: TextClient) -> tuple[TextClient, TextClient]:
        return token_of(client), token_of(client)

    def statuses(self, response_id: str, *callers: TextClient) -> list[int]:
        """Return the status of a read, and of a cancellation, for each caller."""
        path = f"/responses/{response_id}"
        reads = [caller.get(path).status_code for caller in callers]
        return reads + [caller.post(f"{path}/cancel", {}).status_code for caller in callers]

    def test_one_sees_its_own_before_and_after_its_end(self, client: TextClient) -> None:
        mine, other = self.owner_and_other(client)
        made = start(mine)
        assert self.statuses(made.id, other) == [404, 404]
        assert mine.openai.responses.retrieve(made.id).status == "queued"
        assert run_all() == 1
        assert mine.openai.responses.retrieve(made.id).status == "completed"
        assert self.statuses(made.id, other, mine, client) == [404, 200, 200] * 2

    def test_a_cancelled_one_stays_its_own(self, client: TextClient) -> None:
        mine, other = self.owner_and_other(client)
        made = start(mine)
        assert mine.openai.responses.cancel(made.id).status == "cancelled"
        assert self.statuses(made.id, other, mine) == [404, 200] * 2

    def test_a_stream_of_others_is_not_followed(self, client: TextClient) -> None:
        mine, other = self.owner_and_other(client)
        stream: Any = mine.openai.responses.create(
            model="gpt-5.4-mini", input="hello", background=True, stream=True
        )
        with Aside():
            *_, last = stream
        path = f"/responses/{last.response.id}"
        query = "?stream=true&starting_after=1"
        assert [each.get(f"{path}{query}").status_code for each in (other, mine, client)] == [404, 200, 200]
