"""Many first sign-ins of one person at once, on an emulator whose transactions hold."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tollgate.composition import api as api_parts
from tollgate.composition import check_ledger as check_ledger_parts
from tollgate.composition import dashboard as dashboard_parts
from tollgate.composition import parts
from tollgate.kit.ids import new_id
from tollgate.members.identities import Person

pytestmark = [pytest.mark.ministack, pytest.mark.xdist_group("ministack")]

AT_ONCE = 8


@pytest.mark.usefixtures("service")
def test_they_end_in_one_account_that_is_welcomed_once() -> None:
    parts.forget()
    identities = dashboard_parts.dashboard().identities
    person = Person(new_id("development#"), "ada@example.com")

    def sign_in(_: int) -> str:
        account_id = identities.account_of(person)
        identities.welcome(account_id, 1_000_000)
        return account_id

    accounts = check_ledger_parts.ledger_audit().ledger
    before = set(accounts.account_ids())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        (account_id,) = set(pool.map(sign_in, range(AT_ONCE)))
    assert set(accounts.account_ids()) - before == {account_id}
    assert api_parts.api().accounts.me(account_id).balance_micro_usd == 1_000_000
    parts.forget()
