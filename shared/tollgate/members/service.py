"""The management of an account's members: invite, accept, change a role, remove, leave.

Each change is one transaction: the team as it was read, the person's own list of accounts, and the line of
the audit log.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tollgate.accounts.key_service import KeyService
from tollgate.audit.events import Action
from tollgate.audit.refusals import Refusals
from tollgate.audit.repository import AuditLog
from tollgate.kit.clock import Clock
from tollgate.kit.ids import is_id
from tollgate.kit.retry import retry_change
from tollgate.mail.addresses import address_of
from tollgate.mail.sender import Mailer, SendResult
from tollgate.members import mails
from tollgate.members.repository import (
    Identity,
    IdentityRepository,
    StaleIdentityError,
    StaleTeamError,
    TeamRepository,
)
from tollgate.members.roles import SPENDERS, ProjectRole, Role
from tollgate.members.team import (
    Invitation,
    Team,
    TeamError,
    accepted,
    invited,
    new_secret,
    revoked,
    sent_again,
    with_mails,
    with_project_role,
    with_role,
    without,
)
from tollgate.members.topics import Topic

# The subject of the error when a change keeps failing, for `retry_change`.
_WHAT = "The members of this account are"
MAX_LINK_CHARS = 200


@dataclass(frozen=True, slots=True)
class Actor:
    """The caller: their id, and their name in the audit log."""

    identity_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A new invitation: the end of its link, only this once, and whether a mail was sent."""

    email: str
    token: str
    is_mailed: bool


# Returns the address of the page on which the token of an invitation is accepted.
LinkOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class MemberService:
    """Manages the members of accounts. Refused changes raise `TeamError`."""

    teams: TeamRepository
    people: IdentityRepository
    keys: KeyService
    audit: AuditLog
    refusals: Refusals
    mailer: Mailer
    clock: Clock

    def team(self, account_id: str) -> Team:
        """Return the account's team."""
        return self.teams.get(account_id)

    def spendable(self, identity_id: str) -> dict[str, str]:
        """Return the names of the accounts in which a person may create keys and spend, by their ids."""
        mine = [each for each in self.people.get(identity_id).accounts if self.may_spend(each, identity_id)]
        names = self.people.emails(mine)
        return {each: names.get(each, each) for each in mine}

    def may_spend(self, account_id: str, identity_id: str) -> bool:
        """Return whether a person may create keys in an account, which is not being closed, and spend."""
        team = self.team(account_id)
        may = team.is_owner(identity_id) or team.role_of(identity_id) in SPENDERS
        return team.closing is None and may

    def names(self, identity_ids: Sequence[str]) -> dict[str, str]:
        """Return the proven addresses of people, by their ids."""
        return self.people.addresses(identity_ids)

    def invite(self, account_id: str, email: str, role: str, by: Actor, link_of: LinkOf) -> Sent:
        """Invite an address, by mail if mails are sent. Raises `TeamError`, `ConcurrencyLimitedError`."""
        address, wanted, secret = address_of(email), _role(role), new_secret()
        if address is None:
            raise TeamError("That is not an e-mail address.")

        def decide(team: Team) -> tuple[Team, Invitation]:
            known = self.people.addresses([one.identity_id for one in team.members]).values()
            return invited(
                team,
                address,
                wanted,
                secret,
                by=by.identity_id,
                emails=known,
                now_ms=self.clock.now_ms(),
            )

        made = self._invitation(account_id, by, Action.MEMBER_INVITED, decide)
        return self._send(account_id, made, secret, by, link_of)

    def send_again(self, account_id: str, invitation_id: str, by: Actor, link_of: LinkOf) -> Sent:
        """Send an invitation again, with a new link: the previous link stops working."""
        secret = new_secret()
        made = self._invitation(
            account_id,
            by,
            Action.MEMBER_INVITED,
            lambda team: sent_again(team, invitation_id, secret, by.identity_id, self.clock.now_ms()),
        )
        return self._send(account_id, made, secret, by, link_of)

    def revoke(self, account_id: str, invitation_id: str, by: Actor) -> None:
        """Revoke an open invitation."""
        gone = self._invitation(
            account_id, by, Action.INVITATION_REVOKED, lambda team: revoked(team, invitation_id)
        )
        self.people.forget_invitation(gone.email, account_id)

    def invitation_of(self, token: str) -> tuple[str, Invitation]:
        """Return the account and the open invitation of a link's token. Raises `TeamError`."""
        account_id, invitation_id, secret = _read(token)
        team = self.teams.get(account_id)
        found = team.invitation(invitation_id)
        if not found.opens_with(secret) or self.clock.now_ms() >= found.expires_at_ms:
            raise TeamError("This invitation is no longer valid.")
        return account_id, found

    def accept(self, token: str, by: Actor) -> str:
        """Add a person to an account by the token of their invitation; return the account's id.

        The invitation is removed with it, so of two concurrent calls the second is refused.
        """
        account_id, invitation_id, secret = _read(token)
        try:
            return self._accept(account_id, invitation_id, secret, by)
        except TeamError:
            self._note_refused(token, by)
            raise

    def waiting(self, identity_id: str) -> list[tuple[str, Invitation]]:
        """Return the open invitations of a person's proven address, each with its account."""
        email, now_ms = self.people.get(identity_id).email, self.clock.now_ms()
        if email is None:
            return []
        teams = [self.teams.get(account_id) for account_id in self.people.invited_to(email, now_ms)]
        return [
            (team.account_id, one)
            for team in teams
            for one in team.open_invitations(now_ms)
            if one.email == email and team.find(identity_id) is None
        ]

    def accept_own(self, account_id: str, invitation_id: str, by: Actor) -> str:
        """Add a person to an account that has invited their proven address; return the account's id.

        Raises `TeamError`.
        """
        if not (is_id("usr", account_id) and is_id("inv", invitation_id)):
            raise TeamError("This invitation is no longer valid.")
        return self._accept(account_id, invitation_id, None, by)

    def _accept(self, account_id: str, invitation_id: str, secret: str | None, by: Actor) -> str:
        def change() -> Invitation:
            team, person = self.teams.get(account_id), self.people.get(by.identity_id)
            joined, used = accepted(
                team,
                invitation_id,
                secret,
                identity_id=person.identity_id,
                email=person.email,
                now_ms=self.clock.now_ms(),
            )
            noted = self.audit.note(account_id, by.name, Action.MEMBER_JOINED, used.email, str(used.role))
            # Both sides at once: a member of the team who does not have the account could not open it.
            self.teams.save(team, joined, [self.people.joined(person, account_id), noted])
            return used

        used = retry_change(change, StaleTeamError, StaleIdentityError, what=_WHAT)
        self.people.forget_invitation(used.email, account_id)
        return account_id

    def _note_refused(self, token: str, by: Actor) -> None:
        """Note a person who could not accept an invitation, if they have the link of an open invitation."""
        with suppress(TeamError):
            account_id, found = self.invitation_of(token)
            self.refusals.note(account_id, by.name, f"Invitation of {found.email}")

    def change_role(self, account_id: str, identity_id: str, role: str, by: Actor) -> None:
        """Change the role of a member; the last owner stays an owner.

        If the new role may not manage keys, their keys lose that scope.
        """
        wanted = _role(role)

        def decide(team: Team) -> Team:
            team.check_owner(by.identity_id)
            return with_role(team, identity_id, wanted)

        def change() -> None:
            team = self.teams.get(account_id)
            changed = decide(team)
            if changed == team:
                return
            name = self._name(identity_id)
            detail = "; ".join(filter(None, (str(wanted), _ended(team, changed))))
            noted = self.audit.note(account_id, by.name, Action.MEMBER_CHANGED, name, detail)
            self.teams.save(team, changed, [noted])

        if wanted in SPENDERS:
            retry_change(change, StaleTeamError, what=_WHAT)
            return
        # Refused before a key is changed: the last owner, or a person who is no member.
        decide(self.teams.get(account_id))
        self._end_keys_around(account_id, identity_id, by, change, revoke=False)

    def change_project_role(
        self,
        account_id: str,
        identity_id: str,
        project_id: str,
        role: str,
        by: Actor,
        *,
        projects: Mapping[str, str],
    ) -> None:
        """Change the role of a member in a project; an empty `role` ends it.

        `projects` are the names of the account's projects by their ids. Raises `TeamError`.
        """
        if project_id not in projects:
            raise TeamError("This project does not exist.")
        if role and role not in set(ProjectRole):
            raise TeamError(f"The role: one of {', '.join(ProjectRole)}.")
        wanted = ProjectRole(role) if role else None

        def change() -> None:
            team = self.teams.get(account_id)
            team.check_owner(by.identity_id)
            changed = with_project_role(team, identity_id, project_id, wanted, projects)
            if changed == team:
                return
            detail = f"{wanted or 'no role'} in {projects[project_id]} ({project_id})"
            name = self._name(identity_id)
            noted = self.audit.note(account_id, by.name, Action.MEMBER_CHANGED, name, detail)
            self.teams.save(team, changed, [noted])

        retry_change(change, StaleTeamError, what=_WHAT)

    def set_mail_topics(self, account_id: str, by: Actor, wanted: Mapping[Topic, bool]) -> None:
        """Switch a member's mails on or off by topic; security mails to owners stay on."""

        def change() -> None:
            team = self.teams.get(account_id)
            changed = with_mails(team, by.identity_id, wanted)
            if changed == team:
                return
            before, after = team.find(by.identity_id), changed.find(by.identity_id)
            new = dict(after.chosen.items() - before.chosen.items()) if before and after else {}
            words = ", ".join(f"{topic} {'on' if on else 'off'}" for topic, on in sorted(new.items()))
            noted = self.audit.note(account_id, by.name, Action.MAILS_CHOSEN, "Mails", words)
            self.teams.save(team, changed, [noted])

        retry_change(change, StaleTeamError, StaleIdentityError, what=_WHAT)

    def remove(self, account_id: str, identity_id: str, by: Actor, *, revoke_keys: bool = False) -> None:
        """Remove a member, or let a member leave; with `revoke_keys` the keys that they created end too.

        In any case none of their keys can manage keys any more.
        """
        action = Action.MEMBER_LEFT if identity_id == by.identity_id else Action.MEMBER_REMOVED

        def decide(team: Team) -> Team:
            if identity_id != by.identity_id:
                team.check_owner(by.identity_id)
            return without(team, identity_id)

        def change() -> None:
            team, person = self.teams.get(account_id), self.people.get(identity_id)
            changed = decide(team)
            name = person.email or identity_id
            noted = self.audit.note(account_id, by.name, action, name, _ended(team, changed))
            self.teams.save(team, changed, [self.people.left(person, account_id), noted])

        decide(self.teams.get(account_id))
        self._end_keys_around(account_id, identity_id, by, change, revoke=revoke_keys)

    def _end_keys_around(
        self, account_id: str, identity_id: str, by: Actor, change: Callable[[], None], *, revoke: bool
    ) -> None:
        """Remove a member's rights, and the same rights of their keys.

        The keys come first: after a crash a member has fewer keys, never a key without a member. A second
        pass finds keys that they created after the first pass.
        """

        def end() -> None:
            self.keys.end_chat(account_id, identity_id)
            if revoke:
                self.keys.revoke_made_by(account_id, identity_id, by.name)
            else:
                self.keys.end_management(account_id, identity_id, by.name)

        end()
        retry_change(change, StaleTeamError, StaleIdentityError, what=_WHAT)
        end()

    def _invitation(
        self, account_id: str, by: Actor, action: Action, decide: Callable[[Team], tuple[Team, Invitation]]
    ) -> Invitation:
        def change() -> Invitation:
            team = self.teams.get(account_id)
            team.check_owner(by.identity_id)
            changed, about = decide(team)
            noted = self.audit.note(account_id, by.name, action, about.email, str(about.role))
            self.teams.save(team, changed, [noted])
            return about

        return retry_change(change, StaleTeamError, StaleIdentityError, what=_WHAT)

    def _send(self, account_id: str, made: Invitation, secret: str, by: Actor, link_of: LinkOf) -> Sent:
        """Mail an invitation. After a crash before this line, the button sends it again."""
        token = f"{account_id}.{made.invitation_id}.{secret}"
        self.people.note_invitation(made.email, account_id, made.expires_at_ms)
        account = self.people.emails([account_id]).get(account_id, account_id)
        mail = mails.invitation(account, made.role, by.name, link_of(token))
        # The link is also shown: without a mail the inviter can pass it on.
        return Sent(made.email, token, self.mailer.send(made.email, mail) is SendResult.SENT)

    def _name(self, identity_id: str) -> str:
        return self.people.get(identity_id).email or identity_id

    def identity(self, identity_id: str) -> Identity:
        """Return a person: their accounts, and their proven address."""
        return self.people.get(identity_id)


def _ended(before: Team, after: Team) -> str:
    """Return which invitations a change of the members ended, in the audit log's words."""
    ended = [one.email for one in before.invitations if one not in after.invitations]
    return f"ended invitations of {', '.join(ended)}" if ended else ""


def _role(text: str) -> Role:
    if text not in set(Role):
        raise TeamError(f"The role: one of {', '.join(Role)}.")
    return Role(text)


def _read(token: str) -> tuple[str, str, str]:
    """Return the parts of a link's token: account, invitation, secret. Raises `TeamError`."""
    parts = token[:MAX_LINK_CHARS].split(".")
    if len(parts) != len(("account", "invitation", "secret")) or not (
        is_id("usr", parts[0]) and is_id("inv", parts[1])
    ):
        raise TeamError("This link is incomplete. Copy it again from the mail.")
    return parts[0], parts[1], parts[2]
