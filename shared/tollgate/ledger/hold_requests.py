"""What every text request writes, as the text that goes over the wire: `holds.py` says what it means. Pure.

To make a write's values, put them into expressions and encode those took a tenth of a text request's CPU, and
but for a few numbers and ids the outcome is the same each time. A test holds both ways equal.
"""

from json.encoder import encode_basestring_ascii as quoted

from tollgate.kit.rows import attributes_text
from tollgate.kit.shards import due_shard
from tollgate.kit.writes import EncodedWrite, Write
from tollgate.ledger.caps import Allowance
from tollgate.ledger.entries import Entry
from tollgate.ledger.holds import (
    MAX_HOLDS,
    AlreadyResolvedError,
    Hold,
    HoldWrites,
    already_recorded,
    place_refused,
)
from tollgate.ledger.rate import BASE, RateWindow

_ALL_OLD = '"ReturnValuesOnConditionCheckFailure":"ALL_OLD"'
_ALL_NEW = ',"ReturnValues":"ALL_NEW"'
_TAKE = "SET #n0 = #n0 + :v0, #n1.#n2 = :v1, #n3 = if_not_exists(#n3, :v2), #n4 = :v3"
_COVERED = "#n0 >= :v5 AND size(#n1) < :v6 AND attribute_not_exists(#n6)"
# By whether the request opens its minute.
_PLACE = {
    True: (
        f'"UpdateExpression":"{_TAKE}, #n5 = :v4",'
        f'"ConditionExpression":"({_COVERED} AND (attribute_not_exists(#n5) OR #n5 < :v7))"'
    ),
    False: (
        f'"UpdateExpression":"{_TAKE}, #n5 = #n5 + :v4",'
        f'"ConditionExpression":"({_COVERED} AND #n5 BETWEEN :v7 AND :v8)"'
    ),
}
_PLACE_NAMES = (
    '"#n0":"balance_micro_usd","#n1":"holds","#n3":"wake_at","#n4":"due_shard","#n5":"request_rate",'
    '"#n6":"suspended"'
)
_RESOLVE = (
    '"UpdateExpression":"SET #n0 = #n0 + :v0 REMOVE #n1.#n2",'
    '"ConditionExpression":"attribute_exists(#n1.#n2)",'
    '"ExpressionAttributeNames":{"#n0":"balance_micro_usd","#n1":"holds"'
)
_RECORD = (
    '"ConditionExpression":"attribute_not_exists(#n0)","ExpressionAttributeNames":{"#n0":"entry_id"},"Item":{'
)


def _is_usual(hold: Hold) -> bool:
    return hold.counter is None and not hold.is_of_before


class HoldRequests:
    """The writes of `HoldWrites` for text: as text where they are of the usual kind."""

    def __init__(self, writes: HoldWrites) -> None:
        self._writes = writes
        self._accounts = f'{{"TableName":{quoted(writes.accounts_table)},{_ALL_OLD},'
        self._ledger = f'{{"TableName":{quoted(writes.ledger_table)},{_ALL_OLD},'

    def place(
        self,
        row: str,
        hold: Hold,
        window: RateWindow,
        allowance: Allowance | None = None,
        *,
        most: int = MAX_HOLDS,
        returns: bool = False,
    ) -> Write | EncodedWrite:
        """Return the write that `HoldWrites.place` returns."""
        if allowance is not None or not _is_usual(hold):
            return self._writes.place(row, hold, window, allowance, most=most, returns=returns)
        amount, floor, key = hold.amount_micro_usd, window.minute * BASE, hold.path[1]
        counted = floor + 1 if window.opens else 1
        full = "" if window.opens else f',":v8":{{"N":"{floor + window.limit - 1}"}}'
        text = (
            f'{self._accounts}"Key":{{"account_id":{{"S":{quoted(row)}}}}},{_PLACE[window.opens]},'
            f'"ExpressionAttributeNames":{{{_PLACE_NAMES},"#n2":{quoted(key)}}},'
            f'"ExpressionAttributeValues":{{":v0":{{"N":"{-amount}"}},":v1":{{"N":"{hold.to_value()}"}},'
            f'":v2":{{"N":"{hold.expires_at_ms}"}},":v3":{{"S":"{due_shard(row)}"}},'
            f'":v4":{{"N":"{counted}"}},":v5":{{"N":"{amount}"}},":v6":{{"N":"{most}"}},'
            f'":v7":{{"N":"{floor}"}}{full}}}{_ALL_NEW if returns else ""}}}'
        )
        return EncodedWrite(
            "UpdateItem",
            text,
            lambda account: place_refused(account, window, most),
            lambda account: key in account.get("holds", {}),
        )

    def record(self, entry: Entry) -> EncodedWrite:
        """Return the write that `HoldWrites.record` returns."""
        text = f"{self._ledger}{_RECORD}{attributes_text(entry.to_item())}}}}}"
        return EncodedWrite("PutItem", text, already_recorded)

    def resolve(self, row: str, hold: Hold, charge_micro_usd: int) -> Write | EncodedWrite:
        """Return the write that `HoldWrites.resolve` returns. Raises as it does."""
        amount = hold.amount_micro_usd
        if not _is_usual(hold) or not 0 <= charge_micro_usd <= amount:
            return self._writes.resolve(row, hold, charge_micro_usd)
        text = (
            f'{self._accounts}"Key":{{"account_id":{{"S":{quoted(row)}}}}},{_RESOLVE},'
            f'"#n2":{quoted(hold.path[1])}}},'
            f'"ExpressionAttributeValues":{{":v0":{{"N":"{amount - charge_micro_usd}"}}}}}}'
        )
        return EncodedWrite("UpdateItem", text, lambda _: AlreadyResolvedError(hold.request_id))
