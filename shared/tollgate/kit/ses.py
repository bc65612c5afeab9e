"""Mails to people, by Amazon SES. Where no sender is set, none is sent, and the log says so."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tollgate.kit.mail import Mail
from tollgate.kit.observability import logger

# Addresses that were typed in and all members of an account; each gets a mail of their own.
MAX_RECIPIENTS = 60


@dataclass(frozen=True, slots=True)
class Mailer:
    """Sends mails from one address by a client of SES (`sesv2`); `sender` is empty where there is none."""

    client: Callable[[], Any]
    sender: str

    @property
    def is_on(self) -> bool:
        """Return whether mails are sent here."""
        return bool(self.sender)

    def attempt(self, recipients: Sequence[str], mail: Mail) -> bool:
        """Send a mail as `send` does; return whether it went out. What went wrong is in the log."""
        try:
            self.send(recipients, mail)
        except Exception:  # noqa: BLE001 - whatever SES or the way there says: logged, and told as not sent
            logger.exception("mail.failed", subject=mail.subject)
            return False
        return self.is_on

    def send(self, recipients: Sequence[str], mail: Mail) -> None:
        """Send a mail to each address. Raises botocore's errors."""
        if not self.sender or not recipients:
            logger.info("mail.not_sent", subject=mail.subject)
            return
        # Without a charset SES takes 7-bit ASCII, and names are not.
        bodies = {"Text": mail.text, "Html": mail.html}
        body = {kind: {"Data": data, "Charset": "UTF-8"} for kind, data in bodies.items() if data is not None}
        content = {"Simple": {"Subject": {"Data": mail.subject, "Charset": "UTF-8"}, "Body": body}}
        # One each: nobody is shown the addresses of others.
        for recipient in recipients[:MAX_RECIPIENTS]:
            self.client().send_email(
                FromEmailAddress=self.sender,
                Destination={"ToAddresses": [recipient]},
                Content=content,
            )
