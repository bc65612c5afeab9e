"""Sends the mails of an event in the audit log: one to each member who chose its topic.

    claim the event ─► find its readers ─► mail, note, mail, note … ─► done

A message may come twice, and a worker may die at any point: a reader who is noted gets no second mail. If a
worker dies between SES's response and the note, this mail is sent twice, which is better than never.
"""

from dataclasses import dataclass
from enum import StrEnum

from tollgate.audit.events import AuditEvent
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock, iso, utc_day
from tollgate.kit.observability import logger
from tollgate.mail.layout import render
from tollgate.mail.sender import MAX_RECIPIENTS, Mailer, SendResult
from tollgate.members.recipients import Recipients
from tollgate.members.topics import SECURITY, Topic, is_forced
from tollgate.notices.mails import KINDS, mail_content
from tollgate.notices.repository import NoticeRepository, reader_of

# Events of one account and budget that are mailed in a UTC day: a program that creates keys all day must not
# flood its members. Each security topic has its own budget, and afterwards one mail an hour. An attacker
# cannot use up the mails that would report the next step.
MAX_A_DAY = 100
# The shared budget of all other topics.
OTHERS = "others"


class NoticeResult(StrEnum):
    """The result of a message."""

    OFF = "off"  # This service sends no mails.
    NO_MAIL = "untold"  # The action has no mail, or this version does not have the action.
    NO_RECIPIENTS = "nobody"  # No member chose the topic.
    TOO_MANY = "too_many"  # The account's mails of this day are used up; the last mail announced it.
    REPEATED = "repeated"  # All readers have it already.
    SENT = "sent"  # All readers have it now.


class NotSentError(Exception):
    """Some mails were not sent; the others were. The message will come again."""


@dataclass(frozen=True, slots=True)
class Notifier:
    """Sends the mails. `dashboard_url` is the base URL of the links."""

    audit: AuditLog
    recipients: Recipients
    notices: NoticeRepository
    mailer: Mailer
    dashboard_url: str
    clock: Clock

    def notify(self, account_id: str, event_id: str) -> NoticeResult:
        """Mail an event to the members who chose its topic.

        Raises `MailInProgressError` and `NotSentError`: the message comes again, and no reader gets two
        mails.
        """
        if not self.mailer.is_on:
            return NoticeResult.OFF
        event = self._event(account_id, event_id)
        if event is None or event.action not in KINDS:
            return NoticeResult.NO_MAIL
        wanting = self.recipients.of(account_id, KINDS[event.action].topic)
        if not wanting:
            return NoticeResult.NO_RECIPIENTS
        now_ms = self.clock.now_ms()
        have_it = self.notices.claim(event_id, now_ms)
        if have_it is None:
            return NoticeResult.REPEATED
        topic = KINDS[event.action].topic
        # Only the first attempt counts.
        number = self._number(account_id, topic, now_ms) if not have_it else 1
        if number > MAX_A_DAY and not self._is_first_of_hour(account_id, topic, now_ms):
            logger.warning("notify_members.too_many", account_id=account_id, event_id=event_id)
            self.notices.finish(event_id, is_done=True)
            return NoticeResult.TOO_MANY
        left = {who: address for who, address in wanting.items() if reader_of(who) not in have_it}
        self._send(event, left, is_last=number >= MAX_A_DAY)
        return NoticeResult.SENT

    def _number(self, account_id: str, topic: Topic, now_ms: int) -> int:
        """Return the number of this event in its budget today."""
        return self.notices.count(account_id, topic if topic in SECURITY else OTHERS, utc_day(now_ms), now_ms)

    def _is_first_of_hour(self, account_id: str, topic: Topic, now_ms: int) -> bool:
        """Return whether a security mail beyond the budget is the first in its hour."""
        hour = iso(now_ms)[: len("2026-11-20T09")]
        return topic in SECURITY and self.notices.count(account_id, topic, hour, now_ms) == 1

    def _event(self, account_id: str, event_id: str) -> AuditEvent | None:
        try:
            return self.audit.get(account_id, event_id)
        except ValueError:
            # A newer version wrote it during a deployment; waiting would not help.
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
            content = mail_content(event, account, self.dashboard_url, is_forced=forced, is_last=is_last)
            # An address that SES refuses does not stop the other mails, and is not tried again.
            if self.mailer.send(address, render(content)) is SendResult.FAILED:
                failed += 1
            else:
                self.notices.mark_sent(event.event_id, reader_of(identity_id))
        self.notices.finish(event.event_id, is_done=not failed)
        if failed:
            raise NotSentError(f"{failed} of {len(wanting)}")
