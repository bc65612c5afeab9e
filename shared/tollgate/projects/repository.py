"""The projects of accounts in DynamoDB: one row of `BudgetsTable` for each account."""

from collections.abc import Sequence

from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import TransactWrite, put_if_unchanged
from tollgate.projects.views import Project, Projects

_ITEM = "projects"


class StaleProjectsError(Exception):
    """The projects were changed since they were read; nothing was written."""


class ProjectRepository(OneTable):
    """Reads and writes the projects of accounts."""

    def read(self, account_id: str) -> Projects:
        """Return the projects of an account."""
        return self._find({"account_id": account_id, "item": _ITEM}, _projects_of) or Projects()

    def has(self, account_id: str, project_id: str) -> bool:
        """Return whether an account has a project."""
        return self.read(account_id).find(project_id) is not None

    def change(
        self, account_id: str, read: Projects, changed: Sequence[Project], *others: TransactWrite
    ) -> None:
        """Replace the projects that were read, together with other writes. Raises `StaleProjectsError`."""
        item = {
            "account_id": account_id,
            "item": _ITEM,
            "seq": read.seq + 1,
            "projects": [project.to_item() for project in changed],
        }
        stale = StaleProjectsError(account_id)
        self._db.transact([put_if_unchanged(self._table, item, "item", read.seq, lambda _: stale), *others])


def _projects_of(row: Item) -> Projects:
    return Projects(row["seq"], tuple(map(Project.from_item, row["projects"])))
