"""The providers' secret as text reads it: what was read outlasts a secret that cannot be read again."""

import asyncio
import json
from typing import Any, cast

import pytest

from tests.support.clock import ManualClock
from tollgate.composition.text import SecretReader, UnreadableSecretError
from tollgate.kit.cache import REPEAT_MS
from tollgate.kit.errors import StorageBusyError
from tollgate.providers.runtime.secret import REFRESH_MS

GOOD = 200, {"SecretString": json.dumps({"openai": {"key": "k"}})}
THROTTLED = 400, {"__type": "com.amazonaws#ThrottlingException"}
MALFORMED = 200, {"SecretString": '{"openai": {"key": "a b"}}'}
DENIED = 400, {"__type": "AccessDeniedException"}


class Secrets:
    """Answers each call with the next of `script`."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)

    async def call(self, *_: Any) -> Any:
        answer = self.script.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def reader(*script: Any) -> tuple[SecretReader, ManualClock]:
    clock = ManualClock()
    return SecretReader(cast("Any", Secrets(*script)), "arn", cast("Any", clock), cast("Any", dict)), clock


def test_a_secret_that_is_throttled_at_first_is_busy() -> None:
    found, _ = reader(THROTTLED, GOOD)
    with pytest.raises(StorageBusyError):
        asyncio.run(found.upstreams())
    assert set(asyncio.run(found.upstreams())) == {"openai"}


@pytest.mark.parametrize("failure", [DENIED, OSError("reset"), MALFORMED])
def test_one_that_cannot_be_read_at_all_is_a_fault(failure: Any) -> None:
    found, _ = reader(failure)
    with pytest.raises(UnreadableSecretError):
        asyncio.run(found.upstreams())


@pytest.mark.parametrize("failure", [THROTTLED, DENIED, OSError("reset"), MALFORMED])
def test_what_was_read_is_good_until_the_next_try(failure: Any) -> None:
    found, clock = reader(GOOD, failure, GOOD)
    for later_ms in (0, REFRESH_MS, REPEAT_MS - 1, 1):
        clock.advance_ms(later_ms)
        assert set(asyncio.run(found.upstreams())) == {"openai"}
    assert found.secrets.script == []  # type: ignore[attr-defined]
