"""A background response whose process stopped after the charge."""

from tests.unit.ledger.test_holds import Account
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.writes import Write
from tollgate.text.responses import states

RESPONSE = "resp_01ARZ3NDEKTSV4RRFFQ69G5FAV"


def lose_response(account: Account, table: str, now_ms: int, charge: int) -> None:
    """Store the row of a response that a process took and charged, and did not end."""
    hold = account.place("req_01ARZ3NDEKTSV4RRFFQ69G5FAV", charge)
    account.record(hold, charge)
    account.resolve(hold, charge)
    now_s = now_ms // MS_PER_S
    row = {"account_id": account.id, "response_id": RESPONSE, "expires_at_s": now_s + 3600}
    account.db.write(Write(table, item={**row, **states.queued(now_s, is_streamed=False)}))
    account.db.write(states.claim(table, row, "run_1", now_s))
