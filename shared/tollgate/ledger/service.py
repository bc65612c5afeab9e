"""The proof that every balance agrees with its ledger: by the entries since the last proof, or by all.

    checkpoint ─► entries up to half an hour ago ─► the latest ───► compare with the account's row
       ▲                    │                                            │ agree: the new checkpoint
       └────────────────────┴──────────────────────────────────────◄─────┤
                                                                         │ not: everything, twice
                                                                         ▼
                                                                       Drift

Source: docs/ledger.md#the-proof.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Protocol

from tollgate.kit.clock import MS_PER_DAY, MS_PER_S, Clock, utc_day
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.observability import logger
from tollgate.ledger.audit import NO_COUNTERS, Drift, EntrySums, Line, Tally, compare
from tollgate.ledger.checkpoints import Checkpoints, Run
from tollgate.ledger.families import markup_of
from tollgate.ledger.holds import holds_of
from tollgate.ledger.reader import LedgerReader

# Entries older than this are covered by a checkpoint. If one is written late, by a slow clock or a hung
# writer, it is not lost: the sums differ, and the proof reads all entries.
SETTLED_AFTER_MS = 30 * 60 * MS_PER_S
# Read again at each look, with the account's row: few entries, so that the row rarely changes meanwhile.
RECENT_MS = 15 * MS_PER_S
# Looks at an account whose row changes meanwhile; a look takes a few hundredths of a second.
MAX_READS = 20
MAX_DRIFTING_READS = 2
# Between two looks that did not agree, because the index by time lags a little behind the ledger.
REREAD_PAUSE_S = 0.5
# Full reads, until two of them agree.
MAX_FULL_READS = 3


def last_settled_day(now_ms: int) -> str:
    """Return the last UTC day whose entries are all in the ledger. Pure."""
    return utc_day(now_ms - SETTLED_AFTER_MS - MS_PER_DAY)


class OutOfTimeError(Exception):
    """The time is up. The entries read so far are kept, and the next check continues from there."""


class AccountChangedError(Exception):
    """The account kept changing during the proof, so the result is unknown."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one account; `is_proven` is false if the account kept changing.

    `has_read_all` is true if the new entries did not explain the balance, so all entries were read.
    """

    account_id: str
    entries: int
    drift: Drift | None
    is_proven: bool = True
    has_read_all: bool = field(default=False, compare=False)


def _always() -> bool:
    return True


class ReadsCounters(Protocol):
    """Reads the counters of budgets (`ledger/budget_repository.py`)."""

    def counters(self, account_id: str, now_ms: int) -> dict[str, int]:
        """Return the spending of each value in each period, with open holds, in micro-USD by main row."""


class SealsDays(Protocol):
    """Seals the days of an account that are over (`seals/sealer.py`)."""

    def seal(self, account_id: str, has_time: Callable[[], bool], *, everything: bool = False) -> None:
        """Seal them. With `everything`, look for late entries in all days.

        Raises `OutOfTimeError` when `has_time` returns false.
        """


@dataclass(slots=True)
class LedgerAudit:
    """Reads accounts and their ledgers; writes nothing but checkpoints.

    A run over all accounts has each one sealed by `sealer`, if there is one. A proof by all entries also
    proves the `budgets`, if they are given.
    """

    ledger: LedgerReader
    checkpoints: Checkpoints
    clock: Clock
    sleep: Callable[[float], None] = time.sleep
    sealer: SealsDays | None = None
    export: Callable[[str], None] | None = None
    """Has the sealed days of an account exported, if the account wants that."""
    budgets: ReadsCounters | None = None

    def begin(self, has_time: Callable[[], bool] = _always) -> Run:
        """Check all accounts, from the first one; return the run."""
        return self._run(Run(), has_time)

    def continue_last_run(self, has_time: Callable[[], bool] = _always) -> Run | None:
        """Continue the last run; `None` if it is complete."""
        run = self.checkpoints.run()
        return None if run.done else self._run(run, has_time)

    def _run(self, run: Run, has_time: Callable[[], bool]) -> Run:
        for account_id in self.ledger.account_ids(run.after):
            if not has_time():
                break
            try:
                checked = self.check(account_id, has_time=has_time)
                is_sealed = self._seal(checked, has_time)
            except OutOfTimeError:
                break
            if checked.drift is not None:
                logger.error("check_ledger.drift", **asdict(checked.drift))
            run = replace(
                run,
                after=account_id,
                accounts=run.accounts + 1,
                entries=run.entries + checked.entries,
                drifts=run.drifts + (checked.drift is not None),
                unproven=run.unproven + (not checked.is_proven),
                unsealed=run.unsealed + (not is_sealed),
            )
        else:
            run = replace(run, done=True)
        self.checkpoints.save_run(run)
        return run

    def _seal(self, checked: Checked, has_time: Callable[[], bool]) -> bool:
        """Seal an account; return whether it worked. A failure does not affect the other accounts."""
        if self.sealer is None:
            return True
        try:
            self.sealer.seal(checked.account_id, has_time, everything=checked.has_read_all)
            if self.export is not None:
                self.export(checked.account_id)
        except OutOfTimeError:
            raise
        except Exception:  # noqa: BLE001 - the boundary between accounts: logged and counted
            logger.exception("check_ledger.unsealed", account_id=checked.account_id)
            return False
        return True

    def check(
        self, account_id: str, *, full: bool = False, has_time: Callable[[], bool] = _always
    ) -> Checked:
        """Prove an account by the entries since its last proof or, in `full`, by all entries.

        A drift is reported only if two full reads find the same drift at the same entry. Raises
        `OutOfTimeError` when `has_time` returns false during the read of new entries.
        """
        counter = _Counter()
        if not full and self._prove_new(account_id, counter, has_time):
            return Checked(account_id, counter.entries, None)
        earlier: Drift | None = None
        for _ in range(MAX_FULL_READS):
            try:
                drift = self._prove_all(account_id, counter)
            except AccountChangedError:
                break
            if drift is None:
                return Checked(account_id, counter.entries, None, has_read_all=True)
            if earlier is not None and drift.is_same_as(earlier):
                return Checked(account_id, counter.entries, drift, has_read_all=True)
            earlier = drift
        logger.warning("check_ledger.unsteady", account_id=account_id)
        return Checked(account_id, counter.entries, None, is_proven=False, has_read_all=True)

    def _prove_new(self, account_id: str, counter: "_Counter", has_time: Callable[[], bool]) -> bool:
        """Read on from the checkpoint; return whether the books agree, and if so keep the new checkpoint."""
        settled = self._read_on(account_id, counter, has_time)
        try:
            drift = self._look(account_id, settled, counter)
        except AccountChangedError:
            return False
        if drift is not None:
            logger.warning("check_ledger.read_all", account_id=account_id, off_by=drift.amount_micro_usd)
            return False
        self.checkpoints.put(account_id, settled.tally)
        return True

    def _read_on(self, account_id: str, counter: "_Counter", has_time: Callable[[], bool]) -> EntrySums:
        """Read the entries after the checkpoint, up to the time after which more may still be written."""
        checkpoint = self.checkpoints.get(account_id)
        reading = EntrySums(checkpoint)
        through_ms = max(self.clock.now_ms() - SETTLED_AFTER_MS, checkpoint.through_ms)
        for lines, unanswered in self.ledger.lines_by_time(account_id, checkpoint.through_ms, through_ms):
            counter.entries += len(lines)
            if not has_time():
                self._keep(account_id, reading, lines)
                raise OutOfTimeError
            reading.add(lines, unanswered, recent=False)
        reading.tally = replace(reading.tally, through_ms=through_ms)
        return reading

    def _keep(self, account_id: str, reading: EntrySums, lines: Sequence[Line]) -> None:
        """Store a checkpoint of the reading, up to the last complete millisecond in `lines`."""
        last_ms = lines[-1].created_at_ms
        # An account with wrong refunds is read again each time, so that its drift names them.
        if lines[0].created_at_ms < last_ms and not reading.unanswered:
            reading.add([line for line in lines if line.created_at_ms < last_ms], recent=False)
            self.checkpoints.put(account_id, replace(reading.tally, through_ms=last_ms - 1))

    def _look(self, account_id: str, settled: EntrySums, counter: "_Counter") -> Drift | None:
        """Compare the reading and the newest entries with the account's row; several times until they agree.

        Raises `AccountChangedError` if the row changed each time.
        """
        recent_ms = self.clock.now_ms() - RECENT_MS
        recent = settled.copy()
        for lines, unanswered in self.ledger.lines_by_time(account_id, settled.tally.through_ms, recent_ms):
            counter.entries += len(lines)
            recent.add(lines, unanswered)
        after_ms = max(recent_ms, settled.tally.through_ms)
        drifts: list[Drift] = []
        for _ in range(MAX_READS):
            # The row first: the ledger has all that the row contains by then. Entries beyond it show up in
            # the second look at the row.
            row = self.ledger.account_row(account_id)
            latest = recent.copy()
            for lines, unanswered in self.ledger.lines_by_time(account_id, after_ms, None):
                latest.add(lines, unanswered)
            counters = self._counters(account_id) if latest.counted else NO_COUNTERS
            if self.ledger.account_row(account_id) != row:
                continue
            drift = _compare(account_id, row, latest, counters)
            if drift is None:
                counter.entries += latest.tally.entries - recent.tally.entries
                return None
            drifts.append(drift)
            if len(drifts) == MAX_DRIFTING_READS:
                break
            self.sleep(REREAD_PAUSE_S)
        if not drifts:
            raise AccountChangedError
        return drifts[-1]

    def _prove_all(self, account_id: str, counter: "_Counter") -> Drift | None:
        """Read every entry from the table itself, not from its index; store a checkpoint if all is well."""
        through_ms = self.clock.now_ms() - SETTLED_AFTER_MS
        # A budget that is first used after this is proved the next time.
        proved = dict.fromkeys(self._counters(account_id), 0)
        settled, everything = EntrySums(Tally(through_ms), counted=proved.copy()), EntrySums(counted=proved)
        row = self.ledger.account_row(account_id)
        for lines, unanswered in self.ledger.lines_by_id(account_id):
            counter.entries += len(lines)
            everything.add(lines, unanswered)
            settled.add([line for line in lines if line.created_at_ms <= through_ms], recent=False)
        settled.unanswered = everything.unanswered
        counters = self._counters(account_id)
        is_steady = self.ledger.account_row(account_id) == row
        drift = (
            _compare(account_id, row, everything, counters)
            if is_steady
            else self._look(account_id, settled, counter)
        )
        if drift is None:
            self.checkpoints.put(account_id, settled.tally)
        return drift

    def _counters(self, account_id: str) -> Mapping[str, int]:
        now_ms = self.clock.now_ms()
        return NO_COUNTERS if self.budgets is None else self.budgets.counters(account_id, now_ms)


def _compare(
    account_id: str, row: Item | None, reading: EntrySums, counters: Mapping[str, int]
) -> Drift | None:
    if row is None:
        return None
    return compare(
        account_id,
        row["balance_micro_usd"],
        holds_of(row),
        reading,
        counters,
        markup_micro_usd=markup_of(row),
    )


@dataclass(slots=True)
class _Counter:
    """Counts the entries read in any way."""

    entries: int = 0
