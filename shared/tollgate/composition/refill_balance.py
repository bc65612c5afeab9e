"""Creates the parts of `functions/refill_balance`."""

from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository
from tollgate.audit.repository import AuditLog
from tollgate.composition.database import database
from tollgate.composition.ledger import LedgerSettings, ledger_of
from tollgate.composition.parts import clock, part
from tollgate.kit.aws import sdk
from tollgate.low_balance.refill import RefillWorker
from tollgate.low_balance.repository import LowBalanceRepository
from tollgate.mail.sender import Mailer
from tollgate.members.recipients import Recipients
from tollgate.members.repository import IdentityRepository, TeamRepository
from tollgate.payments.book_service import PaymentBook
from tollgate.payments.repository import PaymentRepository
from tollgate.payments.secret import StripeKeySource


@dataclass(frozen=True, kw_only=True)
class RefillBalanceSettings(LedgerSettings):
    """Settings of `functions/refill_balance`; without `mail_from` no mail is sent."""

    identities_table: str
    members_table: str
    watches_table: str
    audit_table: str
    idempotency_table: str
    stripe_secret_arn: str
    stripe_tax: bool = False
    dashboard_url: str
    mail_from: str | None = None


@part
def refill() -> RefillWorker:
    """Create the parts of `functions/refill_balance`."""
    settings = RefillBalanceSettings.from_env()
    db = database()
    accounts = AccountRepository(db, settings.accounts_table)
    people = IdentityRepository(db, settings.identities_table, accounts)
    # The keys are read when a card is charged, so mails are sent without Stripe too.
    secret = sdk.secret_reader(settings.stripe_secret_arn)
    stripe = StripeKeySource(secret, clock(), sdk.report_unread, has_tax=settings.stripe_tax)
    ledger, audit = ledger_of(settings), AuditLog(db, settings.audit_table, clock())
    payments = PaymentRepository(db, settings.idempotency_table)
    return RefillWorker(
        low_balances=LowBalanceRepository(db, settings.watches_table),
        accounts=accounts,
        ledger=ledger,
        book=PaymentBook(payments, ledger, accounts, audit, clock()),
        mailer=Mailer(sdk.sesv2, settings.mail_from or ""),
        keys=stripe.keys,
        members=Recipients(TeamRepository(db, settings.members_table), people).of_money,
        dashboard_url=settings.dashboard_url,
        clock=clock(),
    )
