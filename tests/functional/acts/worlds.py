"""A service on moto in which acts are tried, each over and over from where it was prepared."""

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from tests.conftest import Aws
from tests.functional.test_api import call
from tests.functional.test_run_task import run_to_end
from tests.support.clock import ManualClock
from tests.support.dashboard import Browser
from tests.support.left_behind import left_behind, masked
from tests.support.losses import Losses
from tests.support.lossy_botocore import losing
from tests.support.moto_stack import put_back, rows_of, state_of_moto
from tollgate.accounts.service import OpenedAccount
from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import parts
from tollgate.kit.money import micro_usd_of_cents


@dataclass
class World:
    """A service on moto, and who is there."""

    aws: Aws
    clock: ManualClock
    ends: ExitStack
    """Closed at the end of the test."""

    def customer(self, cents: int = 100) -> "Caller":
        """Return a new customer with money."""
        return Caller(api_parts.api().accounts.open(micro_usd_of_cents(cents)))

    def end(self, task_id: str) -> None:
        """Work on a task until it has ended."""
        run_to_end(task_id, self.clock)

    def person(self, email: str = "ada@example.com") -> Browser:
        """Return the browser of somebody who has signed in."""
        browser = Browser()
        browser.sign_in(email)
        return browser


@dataclass(frozen=True)
class Caller:
    """A customer with a key."""

    account: OpenedAccount

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Return the status and the body of an answer."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        status, answer, _ = call(method, f"/api/v1{path}", self.account.api_key, body, sent)
        return status, answer

    def ok(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Return the `data` of an answer that must be 200."""
        status, answer = self.ask(method, path, body, **headers)
        assert status == 200, answer
        return answer["data"]


Doing = Callable[[], Any]
"""Does it; returns what the caller hears. May be called again when all has been put back."""
Act = Callable[[World], Doing]
"""Prepares something in a world in which nothing has happened yet, and returns how it is done."""


def acts_in(module: Mapping[str, Any]) -> dict[str, Act]:
    """Return the acts of a module by name: its functions that prepare something in a world."""
    is_act = {"world": World, "return": Doing}
    return {name: made for name, made in module.items() if getattr(made, "__annotations__", None) == is_act}


@dataclass
class Prepared:
    """An act that has been prepared, to be done over and over in the same world."""

    world: World
    doing: Doing
    states: Mapping[str, bytes] = field(default_factory=state_of_moto)

    def done(self, losses: Losses, *, audited: bool = True) -> tuple[Any, Any]:
        """Do it once; return what the caller heard and what is left behind.

        If `audited`, the books must agree.
        """
        put_back(self.states)
        parts.forget()
        with losing(losses):
            heard = self.doing()
        stack = self.world.aws.stack
        # Before the audit, which notes what it has proven.
        left = left_behind(stack)
        if audited:
            audit = check_ledger_parts.ledger_audit()
            accounts = [row["account_id"]["S"] for row in rows_of(stack.refs["AccountsTable"])]
            assert [drift for one in accounts if (drift := audit.check(one).drift) is not None] == []
        return masked(heard), left
