"""The exchange of a request that is no chat and whose answer is one JSON object, never streamed. Pure."""

from collections.abc import Callable, Sequence

from tollgate.text.upstream.exchange import Answer, Exchange, HttpCall, RoutedRequest, faults_in_body
from tollgate.text.wire.dialect import ChatDialect
from tollgate.text.wire.relay import ChatRelay
from tollgate.text.wire.stream import Meter

Read = Callable[[bytes, RoutedRequest, Meter, ChatDialect], bytes]
"""Returns the client's answer to a provider's body. Raises `FaultError` for a fault and for anything else."""


def plain_exchange(
    routed: RoutedRequest,
    call: HttpCall | Answer,
    dialect: ChatDialect,
    read: Read,
    *,
    ignored: Sequence[str] = (),
) -> Exchange:
    """Return the exchange for a `call` to a provider. `ignored`: the client's hints that are not sent."""
    meter = routed.meter()
    return Exchange(
        call,
        meter,
        lambda body: read(body, routed, meter, dialect),
        ChatRelay(meter, routed.model.id, dialect, wants_usage=False),
        faults_in_body(dialect.code_statuses),
        ignored=ignored,
    )
