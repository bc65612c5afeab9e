"""The queries and bodies of the webhook routes, each checked as a whole. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tollgate.kit.errors import InvalidInputError
from tollgate.kit.http.addresses import AddressGuard
from tollgate.kit.http.query import QueryReader, id_of, matching
from tollgate.kit.problems import Problem, unknown_fields
from tollgate.kit.rotation import read_overlap_s
from tollgate.webhooks.models import Delivery, DeliveryStatus, is_delivery_id
from tollgate.webhooks.receivers import url_problem

DEFAULT_PAGE, MAX_PAGE = 20, 100
FILTERS = ("state", "taskId", "limit", "cursor")
# Sorts after every id.
NEWEST = "evt_~"
MAX_OVERLAP_S = 7 * 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """A page of deliveries: the deliveries before the id `before` that match the filters."""

    limit: int
    before: str
    status: DeliveryStatus | None = None
    task_id: str | None = None

    def matches(self, delivery: Delivery) -> bool:
        """Return whether a delivery matches the filters."""
        of_status = self.status is None or delivery.status is self.status
        return of_status and (self.task_id is None or delivery.task_id == self.task_id)


def read_query(query: Mapping[str, str]) -> DeliveryQuery:
    """Read the query of a list. Raises `InvalidInputError` with every problem."""
    reader = QueryReader(query, FILTERS)
    wanted = DeliveryQuery(
        limit=reader.limit(DEFAULT_PAGE, MAX_PAGE),
        before=reader.read("cursor", matching(is_delivery_id), NEWEST, "Not a cursor of an earlier page."),
        status=reader.choose("state", DeliveryStatus, None, DeliveryStatus),
        task_id=reader.read("taskId", id_of("task"), None, "Not the id of a task."),
    )
    reader.finish()
    return wanted


def read_test(body: Mapping[str, Any], guard: AddressGuard) -> str:
    """Return the URL from the body of a test, `{url}`. Raises `InvalidInputError` with every problem."""
    problems = unknown_fields(body, ("url",))
    if "url" not in body:
        problems.append(Problem("/url", "Required."))
    elif (found := url_problem("/url", body["url"], guard)) is not None:
        problems.append(found)
    if problems:
        raise InvalidInputError(problems)
    return str(body["url"])


def read_rotation(body: Mapping[str, Any]) -> int:
    """Return the overlap in seconds from a rotation's body `{overlapS?}`. Raises `InvalidInputError`."""
    return read_overlap_s(body, MAX_OVERLAP_S)
