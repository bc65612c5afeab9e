"""Lines of a batch as lines of a vendor's batch: which of them a vendor gets, and how. Pure.

Source: docs/decisions/0094-batches.md.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tollgate.accounts.models import ApiKey
from tollgate.batches.lines import read_line
from tollgate.batches.models import Kind
from tollgate.batches.request import ENDPOINTS, MESSAGES
from tollgate.kit.errors import TollgateError
from tollgate.ledger.attribution import Attribution, attribution_of
from tollgate.routing.reading import NOTHING_ASKED
from tollgate.routing.wishes import NO_WISHES
from tollgate.text.body.json_body import dumps
from tollgate.text.body.prompt_files import has_own_files
from tollgate.text.body.request import TextRequest, read_request
from tollgate.text.kinds.table import KINDS
from tollgate.text.models import BATCH, TextModel, TextProtocol, TextRoute
from tollgate.text.money.metering import HoldPlan, full_hold
from tollgate.text.money.route_plan import Candidate
from tollgate.text.routes.admission import UseOf, demand_of, estimate_of, model_named
from tollgate.text.upstream.exchange import Exchange, HttpCall, RoutedRequest, TextUpstream
from tollgate.text.upstream.vendor_batches import BatchApi
from tollgate.text.wire.shown import ORDINARY_TIERS

# The endpoints whose lines a vendor gets.
SERVED = ("/v1/chat/completions", "/v1/embeddings", MESSAGES)
_TIER = "service_tier"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A line for a vendor's batch, and the hold that covers it at the batch price."""

    candidate: Candidate
    plan: HoldPlan
    endpoint: str
    labels: Attribution
    body: bytes

    @property
    def order(self) -> tuple[str, str, str]:
        """Return its vendor, and the vendor's names of its model and its endpoint."""
        return self.candidate.provider, self.candidate.route.upstream_id, self.endpoint

    @property
    def group(self) -> str:
        """Return a text that all lines of one parcel have."""
        candidate = self.candidate
        named = [candidate.model_id, candidate.provider, self.endpoint, self.labels.stored()]
        return json.dumps(named, sort_keys=True)


@dataclass(frozen=True, slots=True)
class VendorLines:
    """Prepares lines, and reads their answers. `headers` come from the batch's create."""

    models: Mapping[str, TextModel]
    upstreams: Mapping[str, TextUpstream]
    use_of: UseOf
    kind: Kind
    endpoint: str
    headers: Mapping[str, str]
    now_s: int
    is_off: Callable[[str, str], bool]
    """Returns whether an operator switched off a provider, or its route of a model: it gets no new lines."""
    until: float = 0.0
    """The end of this worker's time for parcels, on the monotonic clock."""

    def prepared(self, text: bytes, key: ApiKey) -> Prepared | None:
        """Return a line as the vendor gets it; `None` if it runs the ordinary way."""
        if self.endpoint not in SERVED or key.routing != NO_WISHES:
            return None
        try:
            return self._prepared(text, key)
        except TollgateError:
            # The ordinary way tells the customer the reason.
            return None

    def _prepared(self, text: bytes, key: ApiKey) -> Prepared | None:
        request = self.request(text)
        if request is None:
            return None
        model = model_named(request.model, request.protocol, self.models, self.use_of, key)
        demand = demand_of(request, model)
        route = next((one for one in model.routes if self._takes_lines(model, one)), None)
        if route is None or demand.searches or demand.service:
            return None
        candidate = Candidate(model, route, replace(demand, service=BATCH))
        if not route.holds(estimate_of(request, model), request.output_limit):
            return None
        plan = full_hold(candidate.demand, model)
        call = self.exchange(request, model, route, plan).call
        api = self.api(route.provider)
        endpoint = api.endpoint(call) if api is not None and isinstance(call, HttpCall) else None
        if endpoint is None or not isinstance(call, HttpCall):
            return None
        labels = key.spender(attribution_of(self.headers, request.sent or request.fields)).attribution
        return Prepared(candidate, plan, endpoint, labels, call.body)

    def _takes_lines(self, model: TextModel, route: TextRoute) -> bool:
        is_sold = BATCH in route.services and self.api(route.provider) is not None
        return is_sold and not self.is_off(route.provider, model.id)

    def request(self, text: bytes) -> TextRequest | None:
        """Return the request of a line; `None` if no vendor's batch gets it. Raises `TollgateError`."""
        fields = read_line(self.kind, text).body
        body = dumps(fields).encode()
        if fields.get("stream") or has_own_files(body):
            return None
        protocol = TextProtocol.ANTHROPIC if self.endpoint == MESSAGES else ENDPOINTS[self.endpoint]
        request = KINDS[protocol].read(body) if protocol in KINDS else read_request(protocol, body)
        is_ordinary = request.fields.get(_TIER) in ORDINARY_TIERS
        return request if is_ordinary and request.asked == NOTHING_ASKED else None

    def api(self, provider: str) -> BatchApi | None:
        """Return the batch API of a provider, if it has one."""
        found: BatchApi | None = getattr(self.upstreams.get(provider), "batches", None)
        return found

    def exchange(
        self,
        request: TextRequest,
        model: TextModel,
        route: TextRoute,
        plan: HoldPlan,
        answer_id: str = "",
    ) -> Exchange:
        """Return the exchange of a line. Raises `InvalidInputError` for untranslatable fields."""
        routed = RoutedRequest(
            request,
            model,
            route,
            plan,
            estimate_of(request, model),
            self.now_s,
            self.headers,
            answer_id,
            is_batched=True,
        )
        return self.upstreams[route.provider].exchange(routed)

    def chosen(self, lines: list[bytes], key: ApiKey) -> list[int]:
        """Return the numbers of the lines that a vendor can get."""
        return [number for number, text in enumerate(lines) if self.prepared(text, key) is not None]


def line_name(number: int, prefix: str = "line") -> str:
    """Return the name of a line at a vendor, which is no text of the customer."""
    return f"{prefix}-{number}"


def prefix_in(name: str) -> str:
    """Return the beginning of the name of a line."""
    return name.rpartition("-")[0]


def numbers_to_text(numbers: list[int]) -> str:
    """Return ascending numbers as a short text, such as `0-99,105`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(f"{first}-{last}" if first != last else str(first) for first, last in spans)


def numbers_in(text: str) -> list[int]:
    """Return the numbers that `numbers_to_text` wrote."""
    found: list[int] = []
    for span in filter(None, text.split(",")):
        first, _, last = span.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
