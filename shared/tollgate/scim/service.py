"""A directory's requests about the users of one account, and the joining of a person as a user."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, TypeVar

from tollgate.audit.events import Action
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.kit.ids import new_id
from tollgate.kit.retry import retry_change
from tollgate.members.repository import IdentityRepository, StaleIdentityError, StaleTeamError, TeamRepository
from tollgate.members.roles import Role
from tollgate.members.service import Actor, MemberService
from tollgate.members.team import BY_DIRECTORY, Team, TeamError, provisioned
from tollgate.scim.attributes import fields_of, role_in
from tollgate.scim.directory import (
    Directory,
    DirectoryUser,
    added,
    changed,
    changes_in_words,
    connected,
    joined,
    known_as,
    welcomed,
    without,
)
from tollgate.scim.errors import ScimError
from tollgate.scim.patch import patched
from tollgate.scim.repository import DirectoryRepository, StaleDirectoryError
from tollgate.scim.tokens import account_of, new_token

# The actor of a directory's changes in the audit log.
NAME = "company directory"
# The subject of the error when a change keeps failing, for `retry_change`.
_WHAT = "The directory of this account is"

Result = TypeVar("Result")
Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Users:
    """An account's directory together with its team: both are needed to show a user."""

    directory: Directory
    team: Team


@dataclass(frozen=True, slots=True)
class DirectoryService:
    """Manages the users of directories. Refused requests raise `ScimError`, people's `TeamError`."""

    directories: DirectoryRepository
    teams: TeamRepository
    people: IdentityRepository
    members: MemberService
    audit: AuditLog
    clock: Clock

    def connect(self, account_id: str, role: str, by: Actor) -> str:
        """Return a new token of the account's directory, shown once; the previous one stops working.

        Users get `role` if the directory gives them none. Raises `TeamError`.
        """
        if role not in set(Role):
            raise TeamError(f"The role: one of {', '.join(Role)}.")
        token = new_token(account_id)
        self._owned(
            account_id,
            by,
            lambda directory: connected(directory, token, Role(role), self.clock.now_ms()),
            f"token created; default role {role}",
        )
        return token

    def disconnect(self, account_id: str, by: Actor) -> None:
        """End the directory's token. Members stay; users who have not joined no longer can."""
        self._owned(account_id, by, lambda directory: replace(directory, digest=None), "token revoked")

    def of(self, account_id: str) -> Users:
        """Return an account's directory."""
        return Users(self.directories.get(account_id), self.teams.get(account_id))

    def authenticate(self, token: str) -> str:
        """Return the account of a directory's token. Raises `ScimError`."""
        account_id = account_of(token)
        if account_id is None or not self.directories.get(account_id).opens_with(token):
            message = "The token is wrong or was revoked. Send it as: Authorization: Bearer <token>."
            raise ScimError(HTTPStatus.UNAUTHORIZED, message)
        if self.teams.get(account_id).closing is not None:
            raise ScimError(HTTPStatus.FORBIDDEN, "This account is being closed.")
        return account_id

    def create(self, account_id: str, body: Body) -> tuple[DirectoryUser, Team]:
        """Add a user. A member with this address becomes the user; anyone else can join from now on."""
        fields, user_id = fields_of(body), new_id("scim")

        def change() -> tuple[DirectoryUser, Team]:
            users = self.of(account_id)
            known, now_ms = self._known(users.team), self.clock.now_ms()
            after, new = added(users.directory, users.team, user_id, fields, known=known, now_ms=now_ms)
            self._apply(users.team, new, has_role=role_in(fields) is not None)
            self._save(users.directory, after, Action.MEMBER_PROVISIONED, new, str(new.role))
            return new, users.team

        return self._retried(change)

    def replaced(self, account_id: str, user_id: str, body: Body) -> tuple[DirectoryUser, Team]:
        """Replace the attributes of a user. Without `active`, their access stays."""
        fields = fields_of(body)
        return self._changed(account_id, user_id, lambda _: fields)

    def patched(self, account_id: str, user_id: str, body: Body) -> tuple[DirectoryUser, Team]:
        """Change some attributes of a user."""
        return self._changed(account_id, user_id, lambda fields: patched(fields, body))

    def delete(self, account_id: str, user_id: str) -> None:
        """Delete a user; their access ends at once. The last owner stays: `ScimError`."""

        def change() -> None:
            users = self.of(account_id)
            user = known_as(users.directory.user(user_id), users.team, self._known(users.team))
            self._end(users.team, user)
            self._save(
                users.directory,
                without(users.directory, user_id),
                Action.MEMBER_DEPROVISIONED,
                user,
                "deleted",
            )

        self._retried(change)

    def role_for(self, account_id: str, identity_id: str) -> Role:
        """Return the role that a person has in an account, or may join it with. Raises `TeamError`."""
        users = self.of(account_id)
        role = users.team.role_of(identity_id)
        if role is not None:
            return role
        return welcomed(users.directory, users.team, self.people.get(identity_id).email).role

    def join(self, account_id: str, by: Actor) -> None:
        """Make a person a member, if the directory added their proven address. Raises `TeamError`.

        The team, the person's accounts and the directory change in one transaction, so a user who is being
        deactivated cannot join.
        """

        def change() -> None:
            users, person = self.of(account_id), self.people.get(by.identity_id)
            if users.team.find(by.identity_id) is not None:
                return
            user = welcomed(users.directory, users.team, person.email)
            team = provisioned(users.team, by.identity_id, user.role, self.clock.now_ms())
            noted = self.audit.note(
                account_id, by.name, Action.MEMBER_JOINED, user.address, f"{user.role}, by the {NAME}"
            )
            directory = joined(users.directory, user, by.identity_id)
            self.teams.save(
                users.team,
                team,
                [
                    self.people.joined(person, account_id),
                    self.directories.change(users.directory, directory),
                    noted,
                ],
            )

        self._retried(change)

    def _changed(
        self, account_id: str, user_id: str, decide: Callable[[Mapping[str, Any]], Mapping[str, Any]]
    ) -> tuple[DirectoryUser, Team]:
        def change() -> tuple[DirectoryUser, Team]:
            users = self.of(account_id)
            before = users.directory.user(user_id)
            shown = {**before.fields, "active": before.is_active(users.team)}
            known, now_ms = self._known(users.team), self.clock.now_ms()
            after, user = changed(
                users.directory, users.team, user_id, decide(shown), known=known, now_ms=now_ms
            )
            self._apply(users.team, user, has_role=role_in(user.fields) != role_in(before.fields))
            if replace(user, changed_at_ms=before.changed_at_ms) == before:
                return before, users.team
            action = Action.MEMBER_PROVISIONED if user.fields["active"] else Action.MEMBER_DEPROVISIONED
            self._save(users.directory, after, action, user, changes_in_words(before, user))
            return user, self.teams.get(account_id)

        return self._retried(change)

    def _apply(self, team: Team, user: DirectoryUser, *, has_role: bool) -> None:
        """Change a person's access by the directory's decision, before the decision is written.

        After a crash in between, the user has no access, and the directory sees that.
        """
        if not user.fields["active"]:
            self._end(team, user)
        elif has_role:
            self._give_role(team, user)

    def _end(self, team: Team, user: DirectoryUser) -> None:
        """Remove a user's person from the team, by the same steps as an owner."""
        if user.identity_id is not None and team.find(user.identity_id) is not None:
            self.members.remove(team.account_id, user.identity_id, _actor(team.account_id))

    def _give_role(self, team: Team, user: DirectoryUser) -> None:
        """Change the role of a user's person. An owner stays an owner."""
        before = None if user.identity_id is None else team.role_of(user.identity_id)
        if user.identity_id is not None and before not in {None, Role.OWNER}:
            self.members.change_role(team.account_id, user.identity_id, user.role, _actor(team.account_id))

    def _known(self, team: Team) -> dict[str, str]:
        return self.people.addresses([one.identity_id for one in team.members])

    def _save(
        self, read: Directory, after: Directory, action: Action, user: DirectoryUser, detail: str
    ) -> None:
        noted = self.audit.note(read.account_id, NAME, action, user.address, detail)
        self.directories.save(read, after, [noted])

    def _owned(
        self, account_id: str, by: Actor, decide: Callable[[Directory], Directory], words: str
    ) -> None:
        def change() -> None:
            users = self.of(account_id)
            users.team.check_owner(by.identity_id)
            noted = self.audit.note(account_id, by.name, Action.DIRECTORY_CHANGED, NAME, words)
            self.directories.save(users.directory, decide(users.directory), [noted])

        retry_change(change, StaleDirectoryError, what=_WHAT)

    @staticmethod
    def _retried(change: Callable[[], Result]) -> Result:
        return retry_change(change, StaleDirectoryError, StaleTeamError, StaleIdentityError, what=_WHAT)


def _actor(account_id: str) -> Actor:
    return Actor(f"{BY_DIRECTORY}{account_id}", NAME)
