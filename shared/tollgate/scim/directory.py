"""A value with all users whom a company's directory added to an account, and the rules. Pure.

A user is no member yet: a person becomes one when they sign in with the user's address and join. From then
on the user knows the person, and the team is the truth about access: a person whom an owner removed is
inactive here, until the directory activates the user again.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from tollgate.kit.clock import iso
from tollgate.kit.dynamodb.rows import Item
from tollgate.members.roles import Role
from tollgate.members.team import MAX_MEMBERS, Team, TeamError
from tollgate.scim.attributes import USER, Fields, address_in, role_in
from tollgate.scim.errors import ScimError, invalid_value, not_found

# Users with and without access. Directories deactivate more often than they delete.
MAX_USERS = 100


@dataclass(frozen=True, slots=True)
class DirectoryUser:
    """A user: the attributes that the directory sent, and the person who joined as this user."""

    user_id: str
    fields: Fields
    role: Role
    created_at_ms: int
    changed_at_ms: int
    identity_id: str | None = None

    @property
    def address(self) -> str:
        """Return the address with which the person signs in."""
        return address_in(self.fields) or ""

    def is_active(self, team: Team) -> bool:
        """Return whether the person has access, or may join."""
        is_in = self.identity_id is None or team.find(self.identity_id) is not None
        return bool(self.fields.get("active", True)) and is_in

    def resource(self, team: Team, users_url: str) -> dict[str, Any]:
        """Return the user as SCIM shows it."""
        meta = {
            "resourceType": "User",
            "created": iso(self.created_at_ms),
            "lastModified": iso(self.changed_at_ms),
            "location": f"{users_url}/{self.user_id}",
        }
        return {
            "schemas": [USER],
            "id": self.user_id,
            **self.fields,
            "active": self.is_active(team),
            "meta": meta,
        }


@dataclass(frozen=True, slots=True)
class Directory:
    """The row of one account's directory. `digest` is the hash of its token; without one it is closed."""

    account_id: str
    users: tuple[DirectoryUser, ...] = ()
    digest: str | None = None
    role: Role = Role.DEVELOPER
    """The role of users to whom the directory gives none."""
    connected_at_ms: int = 0
    seq: int = 0

    def opens_with(self, token: str) -> bool:
        """Return whether this is the directory's token; in constant time."""
        return self.digest is not None and hmac.compare_digest(digest_of(token), self.digest)

    def user(self, user_id: str) -> DirectoryUser:
        """Return a user. Raises `ScimError`."""
        found = next((one for one in self.users if one.user_id == user_id), None)
        if found is None:
            raise not_found(f"User {user_id[:64]}")
        return found

    def waiting(self, team: Team) -> int:
        """Return how many users may join and have not."""
        return sum(one.identity_id is None and one.is_active(team) for one in self.users)

    def to_item(self) -> Item:
        """Return the directory as a row."""
        return {
            "identity_id": row_id(self.account_id),
            "account_id": self.account_id,
            "users": [
                {name: _plain(getattr(one, name)) for name in DirectoryUser.__slots__} for one in self.users
            ],
            "digest": self.digest,
            "role": str(self.role),
            "connected_at_ms": self.connected_at_ms,
            "seq": self.seq,
        }

    @classmethod
    def from_item(cls, item: Item) -> "Directory":
        """Return the directory that a row holds."""
        users = (DirectoryUser(**{**one, "role": Role(one["role"])}) for one in item["users"])
        return cls(
            item["account_id"],
            tuple(users),
            item["digest"],
            Role(item["role"]),
            item["connected_at_ms"],
            item["seq"],
        )


def row_id(account_id: str) -> str:
    """Return the key of an account's directory in the table of identities."""
    return f"directory#{account_id}"


def digest_of(token: str) -> str:
    """Return the stored hash of a token."""
    return sha256(token.encode()).hexdigest()


def connected(directory: Directory, token: str, role: Role, now_ms: int) -> Directory:
    """Return the directory with a new token; the previous one stops working. Raises `TeamError`."""
    if role is Role.OWNER:
        raise TeamError("A directory cannot make owners. Choose another role.")
    return replace(directory, digest=digest_of(token), role=role, connected_at_ms=now_ms)


def added(
    directory: Directory, team: Team, user_id: str, fields: Fields, *, known: Mapping[str, str], now_ms: int
) -> tuple[Directory, DirectoryUser]:
    """Return the directory with a new user. A member with their address is that user from now on.

    `known` are the proven addresses of members, by their identity ids. Raises `ScimError`.
    """
    if len(directory.users) >= MAX_USERS:
        raise invalid_value(f"A directory has at most {MAX_USERS} users, including inactive users.")
    fields = {"active": True, **fields}
    new = DirectoryUser(user_id, fields, role_in(fields) or directory.role, now_ms, now_ms)
    new = replace(new, identity_id=_member(team, new, known))
    return _checked(replace(directory, users=(*directory.users, new)), team, new), new


def changed(
    directory: Directory, team: Team, user_id: str, fields: Fields, *, known: Mapping[str, str], now_ms: int
) -> tuple[Directory, DirectoryUser]:
    """Return the directory with other attributes of a user.

    A user who becomes active again waits for a person to join, or is the member with their address.
    Raises `ScimError`.
    """
    before = known_as(directory.user(user_id), team, known)
    fields = {"active": before.is_active(team), **fields}
    after = replace(before, fields=fields, changed_at_ms=now_ms, role=role_in(fields) or before.role)
    if fields["active"] and not before.is_active(team):
        after = replace(after, identity_id=_member(team, after, known))
    users = tuple(after if one.user_id == user_id else one for one in directory.users)
    return _checked(replace(directory, users=users), team, after), after


def known_as(user: DirectoryUser, team: Team, known: Mapping[str, str]) -> DirectoryUser:
    """Return a user with the member who has their address, if no one has joined as the user.

    Such a member accepted an invitation instead; the directory decides about them too.
    """
    return user if user.identity_id else replace(user, identity_id=_member(team, user, known))


def without(directory: Directory, user_id: str) -> Directory:
    """Return the directory without a user. Raises `ScimError`."""
    gone = directory.user(user_id)
    return replace(directory, users=tuple(one for one in directory.users if one != gone))


def welcomed(directory: Directory, team: Team, email: str | None) -> DirectoryUser:
    """Return the user as whom a person with this proven address may join. Raises `TeamError`."""
    for one in directory.users:
        may_join = one.identity_id is None and one.is_active(team)
        if email is not None and directory.digest is not None and one.address == email and may_join:
            return one
    raise TeamError(
        "The directory of this company has not added your address. "
        "Sign in with your address at work, or ask the person who manages the directory."
    )


def joined(directory: Directory, user: DirectoryUser, identity_id: str) -> Directory:
    """Return the directory in which a person has joined as a user."""
    after = replace(user, identity_id=identity_id)
    return replace(directory, users=tuple(after if one == user else one for one in directory.users))


def changes_in_words(before: DirectoryUser, after: DirectoryUser) -> str:
    """Return what changed about a user, in the audit log's words, without the values."""
    names = sorted({*before.fields, *after.fields})
    return ", ".join(name for name in names if before.fields.get(name) != after.fields.get(name))


def _member(team: Team, user: DirectoryUser, known: Mapping[str, str]) -> str | None:
    return next((one.identity_id for one in team.members if known.get(one.identity_id) == user.address), None)


def _checked(directory: Directory, team: Team, user: DirectoryUser) -> Directory:
    """Return the directory if a user in it is the only one with their name and address, and has room."""
    others: Sequence[DirectoryUser] = [one for one in directory.users if one.user_id != user.user_id]
    name = str(user.fields["userName"]).casefold()
    for one in others:
        if str(one.fields["userName"]).casefold() == name or one.address == user.address:
            message = f"Another user of this directory has the same userName or address: {one.user_id}."
            raise ScimError(HTTPStatus.CONFLICT, message, "uniqueness")
    if user.is_active(team) and len(team.members) + directory.waiting(team) > MAX_MEMBERS:
        raise invalid_value(
            f"An account has at most {MAX_MEMBERS} members, including users who have not joined."
        )
    return directory


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Role) else value
