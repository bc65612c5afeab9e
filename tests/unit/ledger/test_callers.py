"""Callers: whose things an account and its run tokens see, and whose idempotency keys they share."""

import pytest

from tollgate.ledger.callers import Caller

ADA, BOB = Caller.of_account("usr_1"), Caller.of_account("usr_2")
TOKEN, OTHER_TOKEN = Caller("usr_1", "tok_1"), Caller("usr_1", "tok_2")
ALL = (ADA, BOB, TOKEN, OTHER_TOKEN)


@pytest.mark.parametrize("caller", [ADA, BOB])
def test_an_account_sees_what_it_and_its_tokens_made_and_nothing_else(caller: Caller) -> None:
    seen = {each for each in ALL if caller.may_see(each)}
    assert seen == {each for each in ALL if each.account_id == caller.account_id}


@pytest.mark.parametrize("token", [TOKEN, OTHER_TOKEN])
def test_a_token_sees_only_what_it_made(token: Caller) -> None:
    assert [each for each in ALL if token.may_see(each)] == [token]


def test_a_token_of_another_account_sees_nothing_even_if_its_id_is_the_same() -> None:
    assert not Caller("usr_2", "tok_1").may_see(TOKEN)


def test_a_row_knows_its_creator() -> None:
    for each in ALL:
        assert Caller.from_item({"account_id": each.account_id, **each.stored()}) == each
    # A row from before run tokens existed belongs to the account.
    assert Caller.from_item({"account_id": "usr_1"}) == ADA


def test_no_two_callers_share_an_idempotency_key() -> None:
    assert len({each.idempotency_id("order-1") for each in ALL}) == len(ALL)
    # The names of stored rows.
    assert ADA.idempotency_id("a#b") == "usr_1#a#b"
    assert TOKEN.idempotency_id("a") == "tok_1#a"
