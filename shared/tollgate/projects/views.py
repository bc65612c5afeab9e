"""Projects as they are stored, and as the API shows them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.response_shapes import Shape, Timestamp


class ProjectView(Shape):
    """A group of API keys."""

    id: str
    name: str
    keyIds: list[str]
    createdAt: Timestamp


class ProjectsView(Shape):
    """The account's projects, the oldest first."""

    projects: list[ProjectView]


class DeletedProjectView(Shape):
    """A project that was deleted."""

    id: str
    deleted: Literal[True]


@dataclass(frozen=True, slots=True)
class Project:
    """A project as it is stored."""

    project_id: str
    name: str
    created_at_ms: int

    def to_item(self) -> Item:
        """Return the project as a map of plain values."""
        return {"id": self.project_id, "name": self.name, "created_at_ms": self.created_at_ms}

    @classmethod
    def from_item(cls, item: Item) -> "Project":
        """Return the project that a map holds."""
        return cls(item["id"], item["name"], item["created_at_ms"])

    def view(self, key_ids: list[str]) -> ProjectView:
        """Return the project with the ids of its keys."""
        return {
            "id": self.project_id,
            "name": self.name,
            "keyIds": key_ids,
            "createdAt": iso(self.created_at_ms),
        }


@dataclass(frozen=True, slots=True)
class Projects:
    """The projects of an account, and the number of their changes: 0 if there never were any.

    `joined` has the keys that joined each project a moment ago, with the time. Lists of keys may lack them.
    """

    seq: int = 0
    projects: tuple[Project, ...] = ()
    joined: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def find(self, project_id: str) -> Project | None:
        """Return the project with this id, or `None`."""
        return next((each for each in self.projects if each.project_id == project_id), None)
