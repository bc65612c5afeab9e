"""The words by which vendors refuse an input that is longer than the context."""

import pytest

from local.simulator.text.errors import TOO_LONG, TOO_LONG_OF
from tollgate.text.wire.faults import fault_of
from tollgate.text.wire.overflow import CODE, is_overflow


# The examples of pi-ai 1.6.0 (npm), `utils/overflow`.
@pytest.mark.parametrize(
    "message",
    [
        *TOO_LONG_OF.values(),
        TOO_LONG,
        "prompt is too long: 213462 tokens > 200000 maximum",
        "Prompt too long",
        "Your input exceeds the context window of this model",
        "Input is too long for requested model.",
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
        "Requested token count exceeds the model's maximum context length of 131072 tokens",
    ],
)
def test_each_vendors_words_are_known(message: str) -> None:
    fault = fault_of({"error": {"message": message, "type": "invalid_request_error"}}, 400)
    assert fault.code == CODE
    assert "prompt is too long" in fault.message
    assert fault.message.endswith(message)


@pytest.mark.parametrize(
    "message",
    [
        "Too many tokens, please wait before trying again.",
        "Rate limit reached for requests.",
        "max_tokens: must be greater than or equal to 1",
        "Invalid 'stop': array too long. Expected an array with maximum length 4.",
        "Invalid 'tools[0].name': string too long. Expected a string with maximum length 64.",
        "The text is longer than 4096 characters.",
    ],
)
def test_other_refusals_are_no_such_refusal(message: str) -> None:
    assert not is_overflow(message)


def test_a_failure_of_the_provider_keeps_its_code() -> None:
    assert fault_of({"error": {"message": TOO_LONG, "code": "server_error"}}, 500).code == "server_error"
