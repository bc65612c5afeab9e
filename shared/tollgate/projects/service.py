"""Customers' management of projects: list, create, rename, delete."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tollgate.accounts.key_request import PROJECT_PREFIX, read_name
from tollgate.accounts.models import ApiKey
from tollgate.accounts.repository import ApiKeyRepository
from tollgate.audit.events import OWNER, Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.kit.dynamodb.writes import Write
from tollgate.kit.errors import ForbiddenError, InvalidInputError
from tollgate.kit.ids import new_id
from tollgate.kit.problems import Problem, unknown_fields
from tollgate.kit.retry import retry_change
from tollgate.projects.errors import ProjectInUseError, ProjectLimitReachedError, ProjectNotFoundError
from tollgate.projects.repository import ProjectRepository, StaleProjectsError
from tollgate.projects.views import DeletedProjectView, Project, Projects, ProjectView

# The projects of an account are one row.
MAX_PROJECTS = 100
# The subject of the error when a change keeps failing, for `retry_change`.
_WHAT = "The projects of this account are"


@dataclass(frozen=True, slots=True)
class ProjectService:
    """Manages the projects of accounts. Each change is in the audit log.

    `by` is the calling key; without one, the caller is the signed-in person `who`. A key of a project manages
    no projects.
    """

    projects: ProjectRepository
    keys: ApiKeyRepository
    audit: AuditLog
    clock: Clock

    def all(self, account_id: str) -> list[ProjectView]:
        """Return an account's projects, the oldest first."""
        keys = self._keys(account_id)
        return [each.view(keys[each.project_id]) for each in self.projects.read(account_id).projects]

    def one(self, account_id: str, project_id: str) -> ProjectView:
        """Return a project. Raises `ProjectNotFoundError`."""
        found = _named(self.projects.read(account_id), project_id)
        return found.view(self._keys(account_id)[project_id])

    def create(
        self, account_id: str, body: Mapping[str, Any], by: ApiKey | None, who: str = OWNER
    ) -> ProjectView:
        """Create a project. Raises `InvalidInputError`, `ForbiddenError`, `ProjectLimitReachedError`."""
        _check_control(by)
        made = Project(new_id(PROJECT_PREFIX), _name_in(body), self.clock.now_ms())

        def decide(read: Projects) -> tuple[Project, list[Project]]:
            # A repeat after a lost answer finds its own project.
            others = [each for each in read.projects if each != made]
            if len(others) >= MAX_PROJECTS:
                message = f"This account has {MAX_PROJECTS} projects, the most allowed."
                raise ProjectLimitReachedError(message)
            return made, [*others, made]

        return self._change(account_id, decide, Action.PROJECT_CREATED, by, who).view([])

    def update(
        self,
        account_id: str,
        project_id: str,
        body: Mapping[str, Any],
        by: ApiKey | None,
        who: str = OWNER,
    ) -> ProjectView:
        """Rename a project. Raises `InvalidInputError`, `ForbiddenError`, `ProjectNotFoundError`."""
        _check_control(by)
        name = _name_in(body)

        def decide(read: Projects) -> tuple[Project, list[Project]]:
            changed = replace(_named(read, project_id), name=name)
            return changed, [changed if each.project_id == project_id else each for each in read.projects]

        self._change(account_id, decide, Action.PROJECT_CHANGED, by, who)
        return self.one(account_id, project_id)

    def delete(
        self, account_id: str, project_id: str, by: ApiKey | None, who: str = OWNER
    ) -> DeletedProjectView:
        """Delete a project without keys.

        Raises `ForbiddenError`, `ProjectNotFoundError`, `ProjectInUseError`.
        """
        _check_control(by)

        def decide(read: Projects) -> tuple[Project, list[Project]]:
            found = _named(read, project_id)
            # After the projects were read: a key that joins from now on changes them. The list of keys may
            # lack a key that joined just before.
            if self._keys(account_id)[project_id] or self._has_new_key(read, project_id):
                raise ProjectInUseError
            return found, [each for each in read.projects if each is not found]

        self._change(account_id, decide, Action.PROJECT_DELETED, by, who)
        return {"id": project_id, "deleted": True}

    def _change(
        self,
        account_id: str,
        decide: Callable[[Projects], tuple[Project, list[Project]]],
        action: Action,
        by: ApiKey | None,
        who: str,
    ) -> Project:
        def change() -> Project:
            read = self.projects.read(account_id)
            project, changed = decide(read)
            if tuple(changed) != read.projects:
                actor = who if by is None else by.actor
                subject = f"{project.name} ({project.project_id})"
                noted: Write = self.audit.note(account_id, actor, action, subject, "")
                still = [] if by is None else [self.keys.still(by)]
                self.projects.change(account_id, read, changed, *still, noted)
            return project

        return retry_change(change, StaleProjectsError, what=_WHAT)

    def _has_new_key(self, read: Projects, project_id: str) -> bool:
        """Return whether a key joined a project a moment ago, and is still there."""
        found = map(self.keys.get, read.joined.get(project_id, ()))
        return any(key and key.revoked_at_ms is None and key.project_id == project_id for key in found)

    def _keys(self, account_id: str) -> dict[str, list[str]]:
        """Return the ids of the keys of each project."""
        found: dict[str, list[str]] = defaultdict(list)
        for key in self.keys.listed(account_id):
            if key.project_id is not None:
                found[key.project_id].append(key.key_id)
        return found


def _name_in(body: Mapping[str, Any]) -> str:
    problems = unknown_fields(body, ["name"])
    if "name" not in body:
        problems.append(Problem("/name", "Required."))
    if problems:
        raise InvalidInputError(problems)
    return read_name(body["name"])


def _named(read: Projects, project_id: str) -> Project:
    found = read.find(project_id)
    if found is None:
        raise ProjectNotFoundError
    return found


def _check_control(by: ApiKey | None) -> None:
    if by is not None and by.project_id is not None:
        raise ForbiddenError("A key of a project cannot manage projects.", "Use a key without a project.")
