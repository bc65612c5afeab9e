"""Whether a response's usage can be counted before its end. Pure.

Providers report usage only at the end of a response. If a response is ended early, it is billed by our count
of its visible output (`Meter.usage`), so all billed output must be visible
(docs/decisions/0038-an-answer-ends-with-its-reader.md).
"""

from collections.abc import Mapping
from typing import Any

from tollgate.text.models import TextProtocol
from tollgate.text.upstream.exchange import RoutedRequest


def is_countable(routed: RoutedRequest, *, ends_work: bool, shows_thinking: bool) -> bool:
    """Return whether the response can be ended early and billed by its visible output.

    `ends_work`: the provider stops its work, and its bill, when the connection closes. `shows_thinking`: it
    sends all of the model's thinking. The results of searches become input unseen.
    """
    return not routed.hold.searches and ends_work and (shows_thinking or not may_think(routed))


def may_think(routed: RoutedRequest) -> bool:
    """Return whether the model may think before it answers this request."""
    fields = routed.request.fields
    effort = fields.get("reasoning_effort")
    if effort == "none" and routed.request.protocol is routed.route.protocol is TextProtocol.OPENAI:
        return False
    return routed.model.thinks_unasked or _asks_to_think(fields)


def _asks_to_think(fields: Mapping[str, Any]) -> bool:
    thinking, config = fields.get("thinking"), fields.get("output_config")
    if thinking and not (isinstance(thinking, Mapping) and thinking.get("type") == "disabled"):
        return True
    efforts = [fields.get("reasoning_effort"), config.get("effort") if isinstance(config, Mapping) else None]
    return bool(fields.get("reasoning")) or any(effort not in (None, "none") for effort in efforts)
