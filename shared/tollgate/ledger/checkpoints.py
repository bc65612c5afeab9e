"""Checkpoints of the proof: the sums of each account's entries, and the progress of a run.

Nothing else reads them: losing one costs the time to read an account's entries again.
"""

from dataclasses import asdict, dataclass

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.writes import Write
from tollgate.ledger.audit import Tally

# The row of the run; no account has such an id.
_RUN = "run"


@dataclass(frozen=True, slots=True)
class Run:
    """The progress of a run over all accounts, and its findings.

    `after` is the last account checked; `None` in a new run. A run that is `done` waits for
    the next day.
    """

    after: str | None = None
    accounts: int = 0
    entries: int = 0
    drifts: int = 0
    unproven: int = 0
    unsealed: int = 0
    done: bool = False


class Checkpoints(OneTable):
    """Reads and replaces checkpoints."""

    def get(self, account_id: str) -> Tally:
        """Return an account's checkpoint; an empty tally if there is none."""
        row = self._db.get(self._table, {"account_id": account_id})
        if row is None:
            return Tally()
        amounts = row["amount_micro_usd"], row.get("markup_micro_usd", 0)
        return Tally(row["through_ms"], row["entries"], *amounts)

    def put(self, account_id: str, tally: Tally) -> None:
        """Replace an account's checkpoint. A later checkpoint of another run may be lost: all are sound."""
        self._db.write(Write(self._table, item={"account_id": account_id, **asdict(tally)}))

    def run(self) -> Run:
        """Return the run that was begun last."""
        row = self._db.get(self._table, {"account_id": _RUN})
        if row is None:
            return Run(done=True)
        del row["account_id"]
        return Run(**row)

    def save_run(self, run: Run) -> None:
        """Note how far a run has come."""
        self._db.write(Write(self._table, item={"account_id": _RUN, **asdict(run)}))
