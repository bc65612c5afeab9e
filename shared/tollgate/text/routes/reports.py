"""Log lines and metrics about responses from which the catalog has to be corrected."""

from tollgate.kit.observability import emit, logger
from tollgate.text.money.placed import Billed
from tollgate.text.upstream.exchange import RoutedRequest
from tollgate.text.wire.stream import Meter


def report_stated(meter: Meter, model: str, provider: str | None, billed: Billed) -> None:
    """Report a response of another model, and the provider's stated charge.

    Both are an operator's matter: the customer paid the price of the requested model. A charge above it is a
    loss, so the cost in the catalog is too low.
    """
    if meter.is_of_another_model:
        logger.error("text.other_model", model=model, provider=provider, upstream=meter.asked)
        emit({"CatalogDue": 1})
    if meter.cost_micro_usd is None:
        return
    charge = billed.charge_micro_usd
    is_loss = meter.cost_micro_usd > charge
    log = logger.error if is_loss else logger.info
    cost = meter.cost_micro_usd
    log("text.cost_stated", model=model, provider=provider, cost_micro_usd=cost, charge_micro_usd=charge)
    if is_loss:
        emit({"CatalogDue": 1})


def report_not_sold(routed: RoutedRequest) -> None:
    """Report a route whose provider does not sell its model, or at no price that we allow."""
    route = routed.route
    logger.error("text.not_sold", model=routed.model.id, provider=route.provider, upstream=route.upstream_id)
    emit({"CatalogDue": 1})
