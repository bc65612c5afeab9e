"""The query of a list of workflows. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from tollgate.kit.http.query import QueryReader, id_of
from tollgate.kit.ids import first_id
from tollgate.tasks.models import WORKFLOW_PREFIX
from tollgate.tasks.query import LAST_MS

# A response of Lambda has at most 6 MB, and a workflow whose chats have the longest texts has about 280 KB.
DEFAULT_PAGE, MAX_PAGE = 10, 15
LAST_WORKFLOW_ID = first_id(WORKFLOW_PREFIX, LAST_MS)


@dataclass(frozen=True, slots=True)
class WorkflowQuery:
    """A page of workflows, the newest first: those before the id `before`."""

    limit: int
    before: str


def read_query(query: Mapping[str, str]) -> WorkflowQuery:
    """Return the page that a query asks for. Raises `InvalidInputError` with every problem."""
    reader = QueryReader(query, ("limit", "cursor"))
    limit = reader.limit(DEFAULT_PAGE, MAX_PAGE)
    before = reader.read("cursor", id_of(WORKFLOW_PREFIX), LAST_WORKFLOW_ID, "Not the cursor of a page.")
    reader.finish()
    return WorkflowQuery(limit, before)
