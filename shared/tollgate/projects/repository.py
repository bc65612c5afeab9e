"""The projects of accounts in DynamoDB: one row of `BudgetsTable` for each account."""

from collections.abc import Sequence

from tollgate.accounts.repository import StaleKeyError
from tollgate.kit.clock import MS_PER_S
from tollgate.kit.dynamodb.database import OneTable
from tollgate.kit.dynamodb.expressions import Equals, Set
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.writes import TransactWrite, Write, put_if_unchanged
from tollgate.projects.views import Project, Projects

_ITEM = "projects"
# How long the list of keys may lack a new key.
INDEX_LAG_MS = 60 * MS_PER_S
# The attribute with the keys that joined a project within that time.
_JOINED = "joined#"


class StaleProjectsError(Exception):
    """The projects were changed since they were read; nothing was written."""


class ProjectRepository(OneTable):
    """Reads and writes the projects of accounts."""

    def read(self, account_id: str) -> Projects:
        """Return the projects of an account."""
        return self._find(_key(account_id), _projects_of) or Projects()

    def join(self, account_id: str, project_id: str, key_id: str, now_ms: int) -> Write | None:
        """Return the write that notes a key of a project; it belongs to the transaction that writes the key.

        Returns `None` if there is no such project. Refused: `StaleKeyError`, if the projects were changed.
        """
        read = self.read(account_id)
        if read.find(project_id) is None:
            return None
        joined = read.joined.get(project_id, {})
        recent = {name: at for name, at in joined.items() if at > now_ms - INDEX_LAG_MS} | {key_id: now_ms}
        return Write(
            self._table,
            key=_key(account_id),
            # A deletion that read the projects before is refused.
            update=(Set("seq", read.seq + 1), Set(f"{_JOINED}{project_id}", recent)),
            condition=Equals("seq", read.seq),
            refused=lambda _: StaleKeyError(project_id),
        )

    def change(
        self, account_id: str, read: Projects, changed: Sequence[Project], *others: TransactWrite
    ) -> None:
        """Replace the projects that were read, together with other writes. Raises `StaleProjectsError`."""
        item = {
            **_key(account_id),
            "seq": read.seq + 1,
            "projects": [project.to_item() for project in changed],
            **{
                f"{_JOINED}{each.project_id}": at
                for each in changed
                if (at := read.joined.get(each.project_id))
            },
        }
        stale = StaleProjectsError(account_id)
        self._db.transact([put_if_unchanged(self._table, item, "item", read.seq, lambda _: stale), *others])


def _key(account_id: str) -> Item:
    return {"account_id": account_id, "item": _ITEM}


def _projects_of(row: Item) -> Projects:
    joined = {name.removeprefix(_JOINED): at for name, at in row.items() if name.startswith(_JOINED)}
    return Projects(row["seq"], tuple(map(Project.from_item, row["projects"])), joined)
