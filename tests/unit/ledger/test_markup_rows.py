"""The writes of mark-up, each on rows that another process, or older code, left behind."""

import pytest

from tests.conftest import Aws
from tollgate.composition import api as api_parts
from tollgate.kit.dynamodb.database import Database
from tollgate.kit.dynamodb.expressions import Add
from tollgate.kit.dynamodb.writes import CountingWrite
from tollgate.ledger.families import FamilyWrites, StaleMarkupError, close_markup, markup_of
from tollgate.ledger.wallets import EARNED, PARENT


@pytest.mark.parametrize(("earned", "left"), [(True, 7), (False, 0)])
def test_a_task_whose_mark_up_was_never_counted_leaves_none_open(aws: Aws, earned: bool, left: int) -> None:
    table, account = aws.stack.refs["AccountsTable"], api_parts.api().accounts.open(100)
    write = CountingWrite(
        table,
        key={"account_id": account.account_id},
        update=(Add("balance_micro_usd", 0),),
        condition=None,
        refused=lambda _: AssertionError("refused"),
    )
    db = Database(aws.clients.dynamodb)
    db.transact([close_markup(write, account.account_id, 7, 1, earned=earned)])
    row = db.get(table, {"account_id": account.account_id})
    assert row is not None
    assert markup_of(row) == row.get(EARNED, 0) == left


def test_mark_up_of_a_parent_that_is_gone_stays_where_it_is(aws: Aws) -> None:
    table, ledger = aws.stack.refs["AccountsTable"], aws.stack.refs["LedgerTable"]
    db = Database(aws.clients.dynamodb)
    child = {"account_id": "usr_child", PARENT: "usr_gone", EARNED: 7, "balance_micro_usd": 0}
    aws.clients.dynamodb.put_item(
        TableName=table,
        Item={name: {"S": v} if isinstance(v, str) else {"N": str(v)} for name, v in child.items()},
    )
    with pytest.raises(StaleMarkupError):
        db.transact(FamilyWrites(table, ledger).move(child, "usr_child", 1))
    assert db.get(table, {"account_id": "usr_gone"}) is None
    assert db.get(table, {"account_id": "usr_child"}) == child
