"""botocore in this process loses answers; for handlers on moto, where no connection can break.

botocore hears `ConnectionClosedError` and does what it does on AWS: it sends the request again, within its
own bound. On AWS it waits between two tries; here it does not.

Source: https://docs.aws.amazon.com/boto3/latest/guide/retries.html
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import botocore.endpoint
from botocore.endpoint import Endpoint
from botocore.exceptions import ConnectionClosedError

from tests.support.losses import Loss, Losses

_send: Callable[..., Any] = Endpoint._do_get_response  # type: ignore[attr-defined]


@contextmanager
def losing(losses: Losses) -> Iterator[None]:
    """Lose answers until the end. A request that is late is carried out then, after everything else."""
    held_up: list[Callable[[], Any]] = []

    def send(endpoint: Endpoint, request: Any, model: Any, context: Any) -> Any:
        loss = losses.next(f"{model.service_model.service_name}.{model.name}")
        if loss is None:
            return _send(endpoint, request, model, context)
        if loss is Loss.UNANSWERED:
            _send(endpoint, request, model, context)
        if loss is Loss.LATE:
            held_up.append(partial(_send_late, endpoint, request, model, context))
        return None, ConnectionClosedError(endpoint_url=request.url)

    never_waits = SimpleNamespace(sleep=lambda _: None)
    with (
        patch.object(Endpoint, "_do_get_response", send),
        patch.object(botocore.endpoint, "time", never_waits),
    ):
        yield
    for late in held_up:
        late()


def _send_late(endpoint: Endpoint, request: Any, model: Any, context: Any) -> None:
    # A body that is a file was read by the try that came after this one.
    request.reset_stream()
    _send(endpoint, request, model, context)
