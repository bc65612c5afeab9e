"""Notes in the audit log which keys expire and which monthly statements are ready.

Each run continues at the end of the last one, so the next run makes up for a missed run. Each event is noted
once, so a run that broke off may be repeated.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.audit.events import Action
from tollgate.audit.repository import OnceLog
from tollgate.kit.clock import MS_PER_DAY, Clock, to_the_minute, utc_day, utc_month
from tollgate.kit.http.query import epoch_ms
from tollgate.kit.observability import logger
from tollgate.ledger.query import StatementQuery
from tollgate.ledger.reader import LedgerReader
from tollgate.members.repository import TeamRepository
from tollgate.notices.repository import NoticeRepository, ReminderProgress

# How long before a key expires its members get a mail.
AHEAD_MS = 3 * MS_PER_DAY
# How far back the first run, or a run after a long gap, looks.
MAX_BEHIND_MS = 7 * MS_PER_DAY
# A statement is announced only in the first days of the next month.
STATEMENT_DAYS = 7


@dataclass(frozen=True, slots=True)
class Reminders:
    """Notes keys and statements of all accounts."""

    keys: ApiKeyRepository
    teams: TeamRepository
    ledger: LedgerReader
    once: OnceLog
    notices: NoticeRepository
    clock: Clock

    def run(self, has_time: Callable[[], bool]) -> int:
        """Note everything new since the last run, until `has_time` is false; return the number of events."""
        now_ms, calendar = self.clock.now_ms(), self.notices.progress()
        behind_ms = now_ms - MAX_BEHIND_MS
        since_ms = max(calendar.keys_ms or now_ms - MS_PER_DAY, behind_ms)
        found = sum(self._noted_key(*each) for each in self._ending(since_ms, now_ms))
        calendar = replace(calendar, keys_ms=now_ms)
        self.notices.save_progress(calendar)
        return found + self._statements(calendar, now_ms, has_time)

    def _ending(self, since_ms: int, now_ms: int) -> Iterator[tuple[Action, ApiKey]]:
        """Yield the keys that are about to expire or expired, between two times, with the action to note."""
        for action, ahead_ms in ((Action.KEY_EXPIRING, AHEAD_MS), (Action.KEY_EXPIRED, 0)):
            after_ms, to_ms = since_ms + ahead_ms, now_ms + ahead_ms
            for day_ms in range(after_ms // MS_PER_DAY * MS_PER_DAY, to_ms + 1, MS_PER_DAY):
                for key in self.keys.expiring_on(utc_day(day_ms)):
                    # The person who created a key with a shorter lifetime knows its end.
                    is_short = (key.expires_at_ms or 0) - key.created_at_ms <= ahead_ms
                    if after_ms < (key.expires_at_ms or 0) <= to_ms and not is_short:
                        yield action, key

    def _noted_key(self, action: Action, key: ApiKey) -> bool:
        word = "expired" if action is Action.KEY_EXPIRED else "expires"
        detail = f"{word} {to_the_minute(key.expires_at_ms or 0)}"
        once_id = f"{action}#{key.key_id}#{key.expires_at_ms}"
        return self.once.note(key.account_id, once_id, action, key.label, detail)

    def _statements(self, calendar: ReminderProgress, now_ms: int, has_time: Callable[[], bool]) -> int:
        this_month = utc_month(now_ms)
        first_ms = epoch_ms(f"{this_month}-01")
        month = utc_month(first_ms - 1)
        if calendar.month != month:
            if now_ms - first_ms >= STATEMENT_DAYS * MS_PER_DAY:
                return 0
            calendar = replace(calendar, month=month, after=None, is_done=False)
        if calendar.is_done:
            return 0
        wanted = StatementQuery(limit=1, first_ms=epoch_ms(f"{month}-01"), end_ms=first_ms)
        noted = 0
        for account_id in self.teams.account_ids(calendar.after):
            if not has_time():
                break
            if next(iter(self.ledger.by_time(account_id, wanted, 1)), None) is not None:
                once_id = f"{Action.STATEMENT_READY}#{month}"
                noted += self.once.note(account_id, once_id, Action.STATEMENT_READY, month)
            calendar = replace(calendar, after=account_id)
        else:
            calendar = replace(calendar, after=None, is_done=True)
            logger.info("notify_members.statements_told", month=month)
        self.notices.save_progress(calendar)
        return noted
