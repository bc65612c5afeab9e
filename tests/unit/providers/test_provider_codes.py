"""A provider's own error codes, by table."""

import pytest

from tollgate.providers.runtime.answers import meaning, rejected
from tollgate.providers.runtime.outcomes import Codes, Failed, FailureKind, Rejected, RejectionKind
from tollgate.providers.runtime.reply import Reply

CODES: Codes = {
    "*Sensitive*": RejectionKind.CONTENT,
    "Invalid*": RejectionKind.INPUT,
    "InvalidKey": FailureKind.REFUSED_US,
    "Busy": FailureKind.LIMITED,
}
REPLY = Reply(400, {}, {}, "all of it")


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("TextSensitiveContent", Rejected(RejectionKind.CONTENT, "why")),
        ("Invalid", Rejected(RejectionKind.INPUT, "why")),
        # The first that fits counts.
        ("InvalidSensitive", Rejected(RejectionKind.CONTENT, "why")),
        ("InvalidKey", Rejected(RejectionKind.INPUT, "why")),
        ("Busy", Failed(FailureKind.LIMITED, "HTTP 400: all of it")),
        ("busy", None),
        ("Busy2", None),
        ("", None),
        (None, None),
    ],
)
def test_a_code_has_its_meaning(code: str | None, outcome: Rejected | Failed | None) -> None:
    assert meaning(CODES, [code], "why", REPLY) == outcome


def test_a_refusal_has_a_reason_where_the_provider_says_none() -> None:
    outcome = meaning(CODES, ["Invalid"], None, REPLY)
    assert isinstance(outcome, Rejected)
    assert outcome.message


def test_the_first_word_that_is_known_counts() -> None:
    outcome = meaning(CODES, [None, "unheard", "Busy", "Invalid"], "why", REPLY)
    assert outcome == Failed(FailureKind.LIMITED, "HTTP 400: all of it")


@pytest.mark.parametrize(
    ("message", "is_ours"),
    [
        ("unknown model", True),
        ("Invalid parameter: model", True),
        ("The model name you specified is not supported", True),
        ("Model wan2.7-t2v does not exist.", True),
        ("Invalid parameter: model_version of the image", False),
        ("The prompt is too long for this model", False),
        ("A portrait of an unknown person is not supported", False),
        ("The image does not exist", False),
    ],
)
def test_an_unknown_model_is_our_mistake_and_no_rejection(message: str, is_ours: bool) -> None:
    found = rejected(RejectionKind.INPUT, message)
    assert isinstance(found, Failed if is_ours else Rejected)
    assert isinstance(rejected(RejectionKind.CONTENT, message), Rejected)
