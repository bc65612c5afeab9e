"""Creates the parts of `functions/notify_members`."""

from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository, ApiKeyRepository
from tollgate.audit.repository import AuditLog, OnceLog
from tollgate.composition.database import database
from tollgate.composition.ledger import LedgerSettings, ledger_of
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.mail.sender import Mailer
from tollgate.members.recipients import Recipients
from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.notices.reminders import Reminders
from tollgate.notices.repository import NoticeRepository
from tollgate.notices.service import Notifier


@dataclass(frozen=True, kw_only=True)
class NotifyMembersSettings(LedgerSettings):
    """Settings of `functions/notify_members`; without `mail_from` no mail is sent."""

    api_keys_table: str
    audit_table: str
    identities_table: str
    idempotency_table: str
    members_table: str
    dashboard_url: str
    mail_from: str | None = None


@part
def notifier() -> Notifier:
    """Create the part that mails a line of the audit log."""
    settings = NotifyMembersSettings.from_env()
    db = database()
    people = IdentityRepository(db, settings.identities_table, AccountRepository(db, settings.accounts_table))
    return Notifier(
        audit=AuditLog(db, settings.audit_table, clock()),
        recipients=Recipients(TeamRepository(db, settings.members_table), people),
        notices=NoticeRepository(db, settings.idempotency_table),
        mailer=Mailer(sdk.sesv2, settings.mail_from or ""),
        dashboard_url=settings.dashboard_url,
        clock=clock(),
    )


@part
def reminders() -> Reminders:
    """Create the part that records events of the calendar."""
    settings = NotifyMembersSettings.from_env()
    db = database()
    log = AuditLog(db, settings.audit_table, clock())
    return Reminders(
        keys=ApiKeyRepository(db, settings.api_keys_table),
        teams=TeamRepository(db, settings.members_table),
        ledger=ledger_of(settings),
        once=OnceLog(log, settings.idempotency_table),
        notices=NoticeRepository(db, settings.idempotency_table),
        clock=clock(),
    )
