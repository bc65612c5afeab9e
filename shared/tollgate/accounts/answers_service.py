"""The account's setting for text answers whose client has disconnected."""

from dataclasses import dataclass

from tollgate.accounts.repository import AccountRepository
from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog

SUBJECT = "Text responses"


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """Shows and changes the setting. The transaction that changes it also writes a line of the audit log."""

    accounts: AccountRepository
    audit: AuditLog

    def completes(self, account_id: str) -> bool:
        """Return whether answers are completed after their client has disconnected.

        Raises `UserNotFoundError`.
        """
        return self.accounts.existing(account_id).limits.completes_answers

    def change(self, account_id: str, who: str, *, completes: bool) -> None:
        """Set it. Processes that serve text apply it within a minute. Raises `UserNotFoundError`."""
        if completes == self.completes(account_id):
            return
        detail = "complete after a disconnect" if completes else "end with a disconnect"
        note = self.audit.note(account_id, who, Action.ANSWERS_CHOSEN, SUBJECT, detail)
        self.accounts.set_completes_answers(account_id, completes, note)
