"""From a line of the audit log to its mails: each member who wants it gets one.

    take the event ─► whom it concerns ─► mail, note, mail, note … ─► done

A message may come twice, and a worker die anywhere: who is noted gets no second mail. One that dies between
SES's answer and the note sends that one mail twice, as a mail that never comes is worse.
"""

from dataclasses import dataclass
from enum import StrEnum

from tollgate.audit.events import AuditEvent
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock, iso, utc_day
from tollgate.kit.letter import written
from tollgate.kit.observability import logger
from tollgate.kit.ses import MAX_RECIPIENTS, Mailed, Mailer
from tollgate.members.recipients import Recipients
from tollgate.members.topics import SECURITY, Topic, is_forced
from tollgate.notices.letters import KINDS, letter_of
from tollgate.notices.repository import NoticeRepository, reader_of

# Events of one account and budget that are mailed on a UTC day: a program that makes keys all day is no flood
# of mails. Each topic of security has a budget of its own, and goes on with one mail an hour: nobody can use
# up the mails that would tell of what they do next.
MAX_A_DAY = 100
# What all other topics have together.
OTHERS = "others"


class Told(StrEnum):
    """What became of a message."""

    OFF = "off"  # No mails are sent here.
    UNTOLD = "untold"  # It is of a kind that nobody is told of, or that this version does not know.
    NOBODY = "nobody"  # Nobody wants it.
    TOO_MANY = "too_many"  # The account's mails of this day are used up, and the last one said so.
    REPEATED = "repeated"  # All have it already.
    SENT = "sent"  # All have it now.


class NotSentError(Exception):
    """Some mails did not go out; the others did. The message comes again."""


@dataclass(frozen=True, slots=True)
class Notifier:
    """Sends the mails. `dashboard_url` is where the pages are."""

    audit: AuditLog
    recipients: Recipients
    notices: NoticeRepository
    mailer: Mailer
    dashboard_url: str
    clock: Clock

    def tell(self, account_id: str, event_id: str) -> Told:
        """Mail an event to those who want it.

        Raises `MailedElsewhereError` and `NotSentError`: the message comes again, and nobody has it twice.
        """
        if not self.mailer.is_on:
            return Told.OFF
        event = self._event(account_id, event_id)
        if event is None or event.action not in KINDS:
            return Told.UNTOLD
        wanting = self.recipients.of(account_id, KINDS[event.action].topic)
        if not wanting:
            return Told.NOBODY
        now_ms = self.clock.now_ms()
        have_it = self.notices.begin(event_id, now_ms)
        if have_it is None:
            return Told.REPEATED
        topic = KINDS[event.action].topic
        # A repeat was counted before.
        number = self._number(account_id, topic, now_ms) if not have_it else 1
        if number > MAX_A_DAY and not self._is_first_of_hour(account_id, topic, now_ms):
            logger.warning("notify_members.too_many", account_id=account_id, event_id=event_id)
            self.notices.end(event_id, is_done=True)
            return Told.TOO_MANY
        left = {who: address for who, address in wanting.items() if reader_of(who) not in have_it}
        self._send(event, left, is_last=number >= MAX_A_DAY)
        return Told.SENT

    def _number(self, account_id: str, topic: Topic, now_ms: int) -> int:
        """Return which one this is of its budget today."""
        return self.notices.count(account_id, topic if topic in SECURITY else OTHERS, utc_day(now_ms), now_ms)

    def _is_first_of_hour(self, account_id: str, topic: Topic, now_ms: int) -> bool:
        """Return whether this is a mail about security, and the first in its hour beyond its budget."""
        hour = iso(now_ms)[: len("2026-11-20T09")]
        return topic in SECURITY and self.notices.count(account_id, topic, hour, now_ms) == 1

    def _event(self, account_id: str, event_id: str) -> AuditEvent | None:
        try:
            return self.audit.get(account_id, event_id)
        except ValueError:
            # Written by a newer version while it is deployed: nothing that waiting here would help.
            logger.warning("notify_members.unknown_kind", account_id=account_id, event_id=event_id)
            return None

    def _send(self, event: AuditEvent, wanting: dict[str, str], *, is_last: bool) -> None:
        topic = KINDS[event.action].topic
        account = self.recipients.people.emails([event.account_id]).get(event.account_id, event.account_id)
        team = self.recipients.teams.get(event.account_id)
        failed = 0
        for identity_id, address in list(wanting.items())[:MAX_RECIPIENTS]:
            role = team.role_of(identity_id)
            forced = role is not None and is_forced(topic, role)
            letter = letter_of(event, account, self.dashboard_url, is_forced=forced, is_last=is_last)
            # One address that SES refuses keeps the mail from nobody else, and is not tried again.
            if self.mailer.send(address, written(letter)) is Mailed.FAILED:
                failed += 1
            else:
                self.notices.sent(event.event_id, reader_of(identity_id))
        self.notices.end(event.event_id, is_done=not failed)
        if failed:
            raise NotSentError(f"{failed} of {len(wanting)}")
