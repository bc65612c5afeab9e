"""The people of an account and its open invitations, as one value: each rule sees all of it. Pure.

An account always has an owner. The team is one row, written only if it is still as it was read, so two
concurrent changes are never both checked against the old team.
"""

import hmac
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from tollgate.kit.clock import MS_PER_S, utc_day
from tollgate.kit.dynamodb.rows import Item
from tollgate.kit.dynamodb.shards import due_shard
from tollgate.kit.ids import new_id
from tollgate.members.roles import SPENDERS, ProjectRole, Role
from tollgate.members.topics import BY_DEFAULT, Topic, is_forced

MAX_MEMBERS = 50
MAX_INVITATIONS = 20
# Mails about invitations in a UTC day: an account must not be a way to send mail to strangers.
MAX_MAILS_PER_DAY = 50
INVITATION_MS = 7 * 24 * 3600 * MS_PER_S
SECRET_BYTES = 32
# The prefix of the identity of a session that an API key started; such a session is for one machine only.
BY_KEY = "key#"
# The prefix of the identity of an account's directory (SCIM), which an owner connected.
BY_DIRECTORY = "directory#"


class TeamError(Exception):
    """The change is not possible; the message gives the caller the reason."""


@dataclass(frozen=True, slots=True)
class Member:
    """A person of an account."""

    identity_id: str
    role: Role
    joined_at_ms: int
    chosen: Mapping[Topic, bool] = field(default_factory=dict)
    """The topics that they switched on or off themselves; their role decides the others."""
    projects: Mapping[str, ProjectRole] = field(default_factory=dict)
    """Their roles in projects, by the projects' ids."""

    def wants(self, topic: Topic) -> bool:
        """Return whether they get mails of a topic."""
        by_role = self.role in BY_DEFAULT[topic]
        return is_forced(topic, self.role) or self.chosen.get(topic, by_role)

    def to_item(self) -> Item:
        """Return the member as a part of the team's row, without their id."""
        row: Item = {"role": str(self.role), "joined_at_ms": self.joined_at_ms}
        chosen = {str(topic): wanted for topic, wanted in self.chosen.items()}
        projects = {project_id: str(role) for project_id, role in self.projects.items()}
        return row | ({"mails": chosen} if chosen else {}) | ({"projects": projects} if projects else {})

    @classmethod
    def from_item(cls, identity_id: str, item: Item) -> "Member":
        """Return the member that a part of a row holds.

        Rows older than topics have one choice, for mails about money. An unknown topic
        belongs to a newer version of this code, and is ignored here.
        """
        before = {Topic.MONEY: item["money_mails"]} if "money_mails" in item else {}
        known = set(Topic)
        chosen = {Topic(name): wanted for name, wanted in item.get("mails", {}).items() if name in known}
        projects = {project_id: ProjectRole(role) for project_id, role in item.get("projects", {}).items()}
        return cls(identity_id, Role(item["role"]), item["joined_at_ms"], {**before, **chosen}, projects)


@dataclass(frozen=True, slots=True)
class Invitation:
    """An open invitation. `digest` is the hash of the secret in its link; the secret is not stored."""

    invitation_id: str
    email: str
    role: Role
    digest: str
    expires_at_ms: int
    invited_by: str

    def opens_with(self, secret: str) -> bool:
        """Return whether this is the secret of its link; in constant time."""
        return hmac.compare_digest(digest_of(secret), self.digest)


@dataclass(frozen=True, slots=True)
class AccountClosure:
    """The end of an account that an owner requested: when its data is erased, and the progress.

    `gives_up` is true if they give up the rest of the balance then, `given_up_micro_usd`; an operator first
    refunds everything else, including money that came since.
    """

    requested_at_ms: int
    erase_at_ms: int
    gives_up: bool
    is_shut: bool = False
    """Whether its keys and sessions have ended."""
    is_erasing: bool = False
    """Whether it is too late to keep the account."""
    given_up_micro_usd: int = 0

    def to_refund(self, balance_micro_usd: int) -> int:
        """Return the part of a balance that is still the owner's, before the given-up money is taken."""
        return max(0, balance_micro_usd - (self.given_up_micro_usd if self.gives_up else 0))


@dataclass(frozen=True, slots=True)
class Team:
    """The row of one account. `seq` counts its writes; `mails` counts invitation mails on `mail_day`."""

    account_id: str
    members: tuple[Member, ...] = ()
    invitations: tuple[Invitation, ...] = ()
    mail_day: str = ""
    mails: int = 0
    seq: int = 0
    closing: AccountClosure | None = None
    wake_at_ms: int | None = None
    """When the worker that closes accounts checks it next."""

    def find(self, identity_id: str) -> Member | None:
        """Return a member, or `None`."""
        return next((one for one in self.members if one.identity_id == identity_id), None)

    def role_of(self, identity_id: str) -> Role | None:
        """Return a person's role, `None` if they are no member."""
        member = self.find(identity_id)
        return None if member is None else member.role

    def role_in(self, project_id: str, identity_id: str) -> ProjectRole | None:
        """Return a person's role in a project. Whoever may manage all keys is a manager of each project."""
        if self.is_owner(identity_id) or self.role_of(identity_id) in SPENDERS:
            return ProjectRole.MANAGER
        member = self.find(identity_id)
        return None if member is None else member.projects.get(project_id)

    def is_owner(self, identity_id: str) -> bool:
        """Return whether the caller acts as an owner: an owner, a session by an API key, or the directory."""
        return self.role_of(identity_id) is Role.OWNER or identity_id.startswith((BY_KEY, BY_DIRECTORY))

    def check_owner(self, identity_id: str) -> None:
        """Raise `TeamError` unless a person is an owner: their role may have changed during the request."""
        if not self.is_owner(identity_id):
            raise TeamError("You are no longer an owner of this account.")

    def invitation(self, invitation_id: str) -> Invitation:
        """Return an invitation that has not ended, though it may have expired. Raises `TeamError`."""
        for one in self.invitations:
            if one.invitation_id == invitation_id and self._keeps(one):
                return one
        raise TeamError("This invitation is no longer valid.")

    def open_invitations(self, now_ms: int) -> tuple[Invitation, ...]:
        """Return the invitations that can be accepted now."""
        return tuple(one for one in self.invitations if now_ms < one.expires_at_ms and self._keeps(one))

    def _keeps(self, invitation: Invitation) -> bool:
        """Return whether an invitation holds: its inviter is an owner, and the account is not closing.

        The row of a closing account keeps its invitations, so that the erasure finds their addresses.
        """
        return self.closing is None and self.is_owner(invitation.invited_by)

    def to_item(self) -> Item:
        """Return the team as a row."""
        row: Item = {
            "account_id": self.account_id,
            "members": {one.identity_id: one.to_item() for one in self.members},
            "invitations": [
                {name: _plain(getattr(one, name)) for name in Invitation.__slots__}
                for one in self.invitations
            ],
            "mail_day": self.mail_day,
            "mails": self.mails,
            "seq": self.seq,
        }
        if self.closing is not None:
            row["closing"] = {name: getattr(self.closing, name) for name in AccountClosure.__slots__}
        if self.wake_at_ms is not None:
            row |= {"wake_at": self.wake_at_ms, "due_shard": due_shard(self.account_id)}
        return row

    @classmethod
    def from_item(cls, item: Item) -> "Team":
        """Return the team that a row holds."""
        closing = item.get("closing")
        members = [Member.from_item(identity_id, one) for identity_id, one in item["members"].items()]
        return cls(
            item["account_id"],
            tuple(sorted(members, key=lambda one: (one.joined_at_ms, one.identity_id))),
            tuple(Invitation(**{**one, "role": Role(one["role"])}) for one in item["invitations"]),
            item["mail_day"],
            item["mails"],
            item["seq"],
            None if closing is None else AccountClosure(**closing),
            item.get("wake_at"),
        )


def founded(account_id: str, identity_id: str, now_ms: int) -> Team:
    """Return the team of an account that a person opened by signing in."""
    return Team(account_id, (Member(identity_id, Role.OWNER, now_ms),))


def new_secret() -> str:
    """Generate the secret of a link with the system's random generator."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest_of(secret: str) -> str:
    """Return the stored hash of a secret."""
    return sha256(secret.encode()).hexdigest()


def invited(
    team: Team, email: str, role: Role, secret: str, *, by: str, emails: Iterable[str], now_ms: int
) -> tuple[Team, Invitation]:
    """Return the team with one more invitation; `emails` are the members' proven addresses.

    Raises `TeamError` for a member, for an address that is already invited, if a limit is reached, and if
    the account is being closed.
    """
    if team.closing is not None:
        raise TeamError("This account is being closed.")
    open_now = team.open_invitations(now_ms)
    if email in emails:
        raise TeamError(f"{email} is a member already.")
    if any(one.email == email for one in open_now):
        raise TeamError(f"{email} is invited already. Send the invitation again, or revoke it.")
    if len(open_now) >= MAX_INVITATIONS:
        raise TeamError(f"There are {MAX_INVITATIONS} open invitations, the most allowed. Revoke one first.")
    if len(team.members) + len(open_now) >= MAX_MEMBERS:
        raise TeamError(f"An account has at most {MAX_MEMBERS} members, including open invitations.")
    made = Invitation(new_id("inv"), email, role, digest_of(secret), now_ms + INVITATION_MS, by)
    # Expired invitations make room for it.
    return _mailed(replace(team, invitations=(*open_now, made)), now_ms), made


def sent_again(team: Team, invitation_id: str, secret: str, by: str, now_ms: int) -> tuple[Team, Invitation]:
    """Return the team with a new link for an invitation; the previous link stops working.

    From now on `by` is the inviter. Raises `TeamError` as `invited` does.
    """
    renewed = replace(
        team.invitation(invitation_id),
        digest=digest_of(secret),
        expires_at_ms=now_ms + INVITATION_MS,
        invited_by=by,
    )
    others = (one for one in team.open_invitations(now_ms) if one.invitation_id != invitation_id)
    return _mailed(replace(team, invitations=(*others, renewed)), now_ms), renewed


def revoked(team: Team, invitation_id: str) -> tuple[Team, Invitation]:
    """Return the team without an invitation. Raises `TeamError`."""
    gone = team.invitation(invitation_id)
    return replace(team, invitations=tuple(one for one in team.invitations if one != gone)), gone


def accepted(
    team: Team, invitation_id: str, secret: str | None, *, identity_id: str, email: str | None, now_ms: int
) -> tuple[Team, Invitation]:
    """Return the team with a new member, without the invitation that they accepted.

    `secret` is the link's; without a link, the proven address is the proof.

    `email` is the address that their sign-in has proven. Raises `TeamError` for an invitation that is used,
    revoked or expired, for a wrong secret, and for any person but the invited one.
    """
    found = team.invitation(invitation_id)
    if (secret is not None and not found.opens_with(secret)) or now_ms >= found.expires_at_ms:
        raise TeamError("This invitation is no longer valid.")
    if email != found.email:
        raise TeamError(
            f"This invitation is for {found.email}. Sign in with this verified address, "
            "then open the link again."
        )
    if team.find(identity_id) is not None:
        raise TeamError("You are already a member.")
    joined = Member(identity_id, found.role, now_ms)
    rest, _ = revoked(team, invitation_id)
    return replace(rest, members=(*team.members, joined)), found


def provisioned(team: Team, identity_id: str, role: Role, now_ms: int) -> Team:
    """Return the team with a new member whom the account's directory added. Raises `TeamError`."""
    if team.closing is not None:
        raise TeamError("This account is being closed.")
    if len(team.members) >= MAX_MEMBERS:
        raise TeamError(f"An account has at most {MAX_MEMBERS} members. An owner can remove one.")
    return replace(team, members=(*team.members, Member(identity_id, role, now_ms)))


def with_role(team: Team, identity_id: str, role: Role) -> Team:
    """Return the team in which a member has another role.

    The invitations of a person who is no longer an owner end. Raises `TeamError` for the last owner.
    """
    member = _member(team, identity_id)
    if member.role is Role.OWNER and role is not Role.OWNER:
        _check_another_owner(team, identity_id)
    changed = replace(member, role=role)
    return _with_members(team, (changed if one == member else one for one in team.members))


def with_project_role(
    team: Team, identity_id: str, project_id: str, role: ProjectRole | None, existing: Collection[str]
) -> Team:
    """Return the team in which a member has a role in a project, or none. Raises `TeamError`.

    Roles in projects that do not exist any more are removed.
    """
    member = _member(team, identity_id)
    others = {name: kept for name, kept in member.projects.items() if name in existing and name != project_id}
    changed = replace(member, projects=others if role is None else {**others, project_id: role})
    return replace(team, members=tuple(changed if one == member else one for one in team.members))


def with_mails(team: Team, identity_id: str, wanted: Mapping[Topic, bool]) -> Team:
    """Return the team with a member's choice of mails by topic. Raises `TeamError`.

    Security mails to owners stay on, regardless of the choice.
    """
    member = _member(team, identity_id)
    free = {topic: on for topic, on in wanted.items() if not is_forced(topic, member.role)}
    new = {topic: on for topic, on in free.items() if on is not member.wants(topic)}
    changed = replace(member, chosen={**member.chosen, **new})
    return replace(team, members=tuple(changed if one == member else one for one in team.members))


def without(team: Team, identity_id: str) -> Team:
    """Return the team without a member and their invitations. Raises `TeamError` for the last owner."""
    member = _member(team, identity_id)
    if member.role is Role.OWNER:
        _check_another_owner(team, identity_id)
    return _with_members(team, (one for one in team.members if one != member))


def _with_members(team: Team, members: Iterable[Member]) -> Team:
    """Return the team with other members, and only the invitations whose inviter is an owner among them.

    They are removed and not only refused: an owner who returns must not reactivate old links.
    """
    changed = replace(team, members=tuple(members))
    kept = tuple(one for one in team.invitations if changed.is_owner(one.invited_by))
    return replace(changed, invitations=kept)


def _member(team: Team, identity_id: str) -> Member:
    member = team.find(identity_id)
    if member is None:
        raise TeamError("This member does not exist.")
    return member


def _check_another_owner(team: Team, identity_id: str) -> None:
    if not any(one.role is Role.OWNER and one.identity_id != identity_id for one in team.members):
        raise TeamError("An account needs an owner. Give another member this role first.")


def _mailed(team: Team, now_ms: int) -> Team:
    """Return the team with one more mail counted. Raises `TeamError` if that is too many for a day."""
    today = utc_day(now_ms)
    mails = team.mails + 1 if team.mail_day == today else 1
    if mails > MAX_MAILS_PER_DAY:
        raise TeamError(f"{MAX_MAILS_PER_DAY} invitations were sent today, the most allowed. Go on tomorrow.")
    return replace(team, mail_day=today, mails=mails)


def _plain(value: object) -> object:
    return str(value) if isinstance(value, Role) else value
