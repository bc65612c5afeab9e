"""Text on demand beside text on instances: what a month of chats costs, and where the one meets the other."""

from collections.abc import Mapping
from decimal import Decimal
from math import ceil

from local.on_instances import PARAMETERS
from tests.bench.cost.bill import OUTSIDE_S, bill
from tests.bench.cost.parts import Part
from tests.bench.cost.prices import MANAGEMENT_FEE, MILLION, PRICES

MONTH_H, MONTH_S = 730, 730 * 3_600
MILLIONS = (1, 3, 10, 30, 100, 300)
"""Of chats in a month."""
PEAK = 3
"""The busiest minute has so many times the chats of an average one (INFERRED); instances are there for it."""
INSTANCE_VCPUS, BUSY = 2, Decimal("0.7")
"""Of an m7g.large, each with a process of 2 GB; so much of them is used before another is added."""
LEAST_INSTANCES: int = PARAMETERS["TextMinEnvironments"]["Default"]
AT_ONCE_IN_EACH: int = PARAMETERS["TextRequestsPerEnvironment"]["Default"]
CHAT, CHAT_S = "chat", OUTSIDE_S["chat"]


def on_demand_usd(part: Part, memory_mb: int) -> Decimal:
    """Return what Lambda takes for a million chats, each in a process of its own."""
    return bill(CHAT, part, memory_mb)["Lambda"]


def instances_for(millions: int, cpu_s: float) -> int:
    """Return how many instances bear a month's chats: by streams at once, and by CPU."""
    a_second = PEAK * millions * MILLION / MONTH_S
    by_streams = a_second * CHAT_S / (AT_ONCE_IN_EACH * INSTANCE_VCPUS)
    by_cpu = a_second * cpu_s / (INSTANCE_VCPUS * float(BUSY))
    return max(LEAST_INSTANCES, ceil(max(by_streams, by_cpu)))


def on_instances_usd(millions: int, instances: int) -> Decimal:
    """Return what a month on so many instances costs, with a NAT gateway in each of three zones."""
    hour = instances * PRICES["instance_h"].usd * (1 + MANAGEMENT_FEE) + LEAST_INSTANCES * PRICES["nat_h"].usd
    return MONTH_H * hour + millions * MILLION * PRICES["lambda_request"].usd


def rows(parts: Mapping[str, Part], memory: Mapping[str, int]) -> list[list[str]]:
    """Return a line for each volume."""
    part = parts[CHAT]
    each = on_demand_usd(part, memory[part.function])
    found = []
    for millions in MILLIONS:
        instances = instances_for(millions, part.cpu_s)
        a, b = each * millions, on_instances_usd(millions, instances)
        at_once = PEAK * millions * MILLION * CHAT_S / MONTH_S
        names = (f"**{a:,.0f}**", f"{b:,.0f}") if a < b else (f"{a:,.0f}", f"**{b:,.0f}**")
        found.append([str(millions), f"{at_once:.0f}", names[0], str(instances), names[1]])
    return found


def meets_at(parts: Mapping[str, Part], memory: Mapping[str, int]) -> Decimal:
    """Return the millions of chats a month for which the least instances cost what on demand does."""
    part = parts[CHAT]
    request = MILLION * PRICES["lambda_request"].usd
    return on_instances_usd(0, LEAST_INSTANCES) / (on_demand_usd(part, memory[part.function]) - request)
