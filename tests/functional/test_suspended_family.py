"""An operator suspends an account: its sub-accounts are suspended and resumed with it."""

from typing import Any

import pytest

from tests.functional.conftest import with_prompt
from tests.support.dashboard import Browser
from tests.support.samples import PAID_IMAGE
from tests.support.tasks import create_task
from tollgate.composition import api as api_parts
from tollgate.ledger.errors import AccountSuspendedError
from tollgate.ledger.repository import LedgerRepository
from tollgate.web.development import OPERATOR

BODY = {"model": PAID_IMAGE, **with_prompt("a boat")}


@pytest.fixture
def parent(browser: Browser) -> str:
    """Return the account of a customer who signed in."""
    return Browser().sign_in("ada@example.com")


@pytest.fixture
def operator(browser: Browser) -> Browser:
    browser.sign_in(OPERATOR)
    return browser.at("/admin")


@pytest.fixture
def children(parent: str) -> list[str]:
    """Return three sub-accounts with money."""
    subaccounts = api_parts.api().subaccounts
    found = [subaccounts.create(parent, {"name": name}, by=None)["id"] for name in "abc"]
    for child in found:
        subaccounts.transfer(parent, child, {"amountCents": 5}, child, by=None)
    return found


def starts(account_id: str) -> bool:
    """Return whether an account can start a task."""
    try:
        create_task(account_id, BODY)
    except AccountSuspendedError:
        return False
    return True


def test_sub_accounts_are_suspended_and_resumed_with_their_parent(
    operator: Browser, parent: str, children: list[str]
) -> None:
    subaccounts, (_, own, abusive) = api_parts.api().subaccounts, children
    subaccounts.update(parent, own, {"suspended": True}, None)
    operator.post(f"/accounts/{abusive}", {"action": "suspend", "reason": "abuse"})
    operator.post(f"/accounts/{parent}", {"action": "suspend", "reason": "fraud"})
    assert [starts(each) for each in children] == [False, False, False]
    operator.post(f"/accounts/{parent}", {"action": "resume"})
    # Those that were suspended before keep their own reasons.
    assert [starts(each) for each in children] == [True, False, False]
    subaccounts.update(parent, own, {"suspended": False}, None)
    assert [starts(each) for each in children] == [True, True, False]


def test_a_suspended_parent_resumes_none_of_them(operator: Browser, parent: str, children: list[str]) -> None:
    subaccounts = api_parts.api().subaccounts
    subaccounts.update(parent, children[0], {"suspended": True}, None)
    operator.post(f"/accounts/{parent}", {"action": "suspend", "reason": "fraud"})
    for child in children:
        with pytest.raises(AccountSuspendedError):
            subaccounts.update(parent, child, {"suspended": False}, None)
    assert [starts(each) for each in children] == [False, False, False]


def test_a_repeat_suspends_only_those_that_are_left(
    operator: Browser, parent: str, children: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suspend, calls = LedgerRepository.suspend, []

    def breaks_after_a_child(ledger: LedgerRepository, account_id: str, *words: Any, **more: Any) -> None:
        calls.append(account_id)
        suspend(ledger, account_id, *words, **more)
        if len(calls) == 2:
            raise RuntimeError("The process ended")

    monkeypatch.setattr(LedgerRepository, "suspend", breaks_after_a_child)
    for reason in ("fraud", "fraud again"):
        operator.post(f"/accounts/{parent}", {"action": "suspend", "reason": reason})
    first, second = calls[:2], calls[2:]
    assert first[0] == second[0] == parent
    assert sorted([*first[1:], *second[1:]]) == sorted(children)
    assert [starts(each) for each in children] == [False, False, False]
