"""Mails to people, by Amazon SES. If no sender is set, none is sent, and the log notes it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tollgate.kit.observability import emit, logger
from tollgate.mail.message import Mail

# The addresses that were typed in and all members of an account. Each gets a separate mail.
MAX_RECIPIENTS = 60
# SES's error for input that it never takes, such as an address with an odd character. It refuses the
# same mail whenever it is sent (https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html).
REFUSED = "BadRequestException"


class SendResult(StrEnum):
    """What became of a mail to one address."""

    SENT = "sent"  # SES has it.
    OFF = "off"  # No mails are sent here.
    REFUSED = "refused"  # SES never takes it; another try would change nothing.
    FAILED = "failed"  # It did not go out this time; another try may help.


@dataclass(frozen=True, slots=True)
class Mailer:
    """Sends mails from one address through an SES client (`sesv2`). Without a `sender`, it is off."""

    client: Callable[[], Any]
    sender: str

    @property
    def is_on(self) -> bool:
        """Return whether mails are sent here."""
        return bool(self.sender)

    def send(self, recipient: str, mail: Mail) -> SendResult:
        """Send a mail to one address, so that recipients never see each other's addresses.

        It never raises, because a failed mail must stop nothing else. The log has the reason, and a refused
        address rings `MailsRefusedAlarm`.
        """
        if not self.sender:
            logger.info("mail.not_sent", subject=mail.subject)
            return SendResult.OFF
        try:
            self.client().send_email(
                FromEmailAddress=self.sender,
                Destination={"ToAddresses": [recipient]},
                Content=_content(mail),
            )
        except Exception as exc:  # noqa: BLE001 - whatever SES or the way there says: logged, and told to the caller
            return _not_sent(exc, mail)
        return SendResult.SENT


def _content(mail: Mail) -> dict[str, Any]:
    # Without a charset SES takes 7-bit ASCII, and names are not.
    bodies = {"Text": mail.text, "Html": mail.html}
    body = {kind: {"Data": data, "Charset": "UTF-8"} for kind, data in bodies.items() if data is not None}
    return {"Simple": {"Subject": {"Data": mail.subject, "Charset": "UTF-8"}, "Body": body}}


def _not_sent(exc: Exception, mail: Mail) -> SendResult:
    answer = getattr(exc, "response", None)
    if answer is None or answer["Error"]["Code"] != REFUSED:
        logger.exception("mail.failed", subject=mail.subject)
        return SendResult.FAILED
    logger.error("mail.refused", subject=mail.subject, exc_info=exc)
    emit({"MailsRefused": 1})
    return SendResult.REFUSED
