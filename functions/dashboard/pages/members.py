"""Members: the account's people and their roles, invitations, joining, and switching accounts."""

from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from dashboard.form_body import Sent
from dashboard.languages import gettext
from dashboard.render import base_url, home, moved, page, part, toast
from dashboard.security import INVITATION, SignedIn, Visitor, sign_in
from dashboard.services import Services
from tollgate.accounts.scopes import Scope
from tollgate.kit.clock import iso
from tollgate.kit.ids import is_id
from tollgate.members import service
from tollgate.members.mails import ROLE_DESCRIPTIONS
from tollgate.members.roles import Role
from tollgate.members.team import Member, TeamError
from tollgate.members.topics import WORDS as TOPIC_WORDS
from tollgate.members.topics import Topic, is_forced
from tollgate.scim.attributes import ROLES

GONE = 409
SEE_OTHER = 303
FROM_ANOTHER = "from another account"

router = APIRouter()


@router.get("/members")
def show(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Show the account's members and its open invitations."""
    shown = _shown(services, request, visitor) | {"token": None}
    return page(request, "members.html", directory=_directory(services, request, visitor), **shown)


@router.post("/members/invitations")
def invite(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Invite an address, and show the link of the invitation this once."""
    email, role = sent.get("email", ""), sent.get("role", "")
    made = services.members.invite(visitor.account_id, email, role, visitor.actor, _link_of(request))
    return _changed(services, request, visitor, made)


@router.post("/members/invitations/{invitation_id}/again")
def invite_again(services: Services, request: Request, visitor: SignedIn, invitation_id: str) -> Response:
    """Send an invitation again, with another link."""
    members = services.members
    made = members.send_again(visitor.account_id, invitation_id, visitor.actor, _link_of(request))
    return _changed(services, request, visitor, made)


@router.post("/members/invitations/{invitation_id}/revoke")
def revoke(services: Services, request: Request, visitor: SignedIn, invitation_id: str) -> Response:
    """Revoke an invitation."""
    services.members.revoke(visitor.account_id, invitation_id, visitor.actor)
    return _changed(services, request, visitor)


@router.post("/members/role")
def change_role(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Change the role of a member."""
    member, role = sent.get("member", ""), sent.get("role", "")
    services.members.change_role(visitor.account_id, member, role, visitor.actor)
    if member == visitor.identity_id:
        return moved(f"{home(request)}/members")
    return _changed(services, request, visitor)


@router.post("/members/remove")
def remove(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Remove a member. Revokes the keys that they created only if the form requests it."""
    revoke_keys = sent.get("keys") == "revoke"
    member = sent.get("member", "")
    services.members.remove(visitor.account_id, member, visitor.actor, revoke_keys=revoke_keys)
    if member == visitor.identity_id:
        return _to_another_account(services, request, visitor)
    return _changed(services, request, visitor)


@router.post("/members/mails")
def set_mail_topics(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Switch the visitor's own mails on or off, by topic: a box that is not ticked is not sent."""
    wanted = {topic: sent.get(topic) == "1" for topic in Topic}
    services.members.set_mail_topics(visitor.account_id, visitor.actor, wanted)
    return toast(request, gettext("Saved."))


@router.post("/members/directory")
def connect_directory(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Create the directory's token, and show it this once; the previous one stops working."""
    token = services.directories.connect(visitor.account_id, sent.get("role", ""), visitor.actor)
    return part(request, "directory.html", directory=_directory(services, request, visitor), token=token)


@router.post("/members/directory/revoke")
def disconnect_directory(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Revoke the directory's token."""
    services.directories.disconnect(visitor.account_id, visitor.actor)
    return part(request, "directory.html", directory=_directory(services, request, visitor), token=None)


@router.post("/members/leave")
def leave(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Remove the visitor from the account, and switch to another of their accounts."""
    services.members.remove(visitor.account_id, visitor.identity_id, visitor.actor)
    return _to_another_account(services, request, visitor)


@router.post("/accounts")
def switch(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Switch to another of the visitor's accounts, in a new session."""
    account_id = sent.get("account", "")
    if account_id not in services.members.identity(visitor.identity_id).accounts:
        raise TeamError("You are not a member of that account.")
    _go_on_in(services, request, visitor, account_id, FROM_ANOTHER)
    return moved(home(request))


@router.get("/join")
def show_invitation(services: Services, request: Request, invitation: str = "") -> Response:
    """Show an invitation to the person with its link, signed in or not.

    The link of a directory has the account's id in place of an invitation, and is the same for all.
    """
    token = invitation or request.session.get(INVITATION, "")
    if is_id("usr", token):
        return _show_directory(services, request, token)
    try:
        account_id, found = services.members.invitation_of(token)
    except TeamError as error:
        request.session.pop(INVITATION, None)
        answer = page(request, "join.html", found=None, problem=gettext(str(error)))
        answer.status_code = GONE
        return answer
    # It waits here while its reader signs in.
    request.session[INVITATION] = token
    name = services.members.people.emails([account_id]).get(account_id, account_id)
    return page(request, "join.html", found=found, problem=None, inviter=name, role_words=ROLE_DESCRIPTIONS)


@router.post("/join")
def join(services: Services, request: Request, visitor: SignedIn) -> Response:
    """Make the visitor a member of the account that invited them, and switch to it."""
    token = request.session.get(INVITATION, "")
    if is_id("usr", token):
        services.directories.join(token, visitor.actor)
        account_id, how = token, "by the company directory"
    else:
        account_id, how = services.members.accept(token, visitor.actor), "by an invitation"
    request.session.pop(INVITATION)
    _go_on_in(services, request, visitor, account_id, how)
    return moved(home(request))


def _show_directory(services: Services, request: Request, account_id: str) -> Response:
    """Show the account to a person whom its directory added; a visitor who is not signed in sees nothing."""
    request.session[INVITATION] = account_id
    identity_id = request.session.get("identity_id")
    if identity_id is None:
        return RedirectResponse(f"{home(request)}/sign-in", SEE_OTHER)
    try:
        role = services.directories.role_for(account_id, identity_id)
    except TeamError as error:
        request.session.pop(INVITATION)
        answer = page(request, "join.html", found=None, problem=gettext(str(error)))
        answer.status_code = GONE
        return answer
    name = services.members.people.emails([account_id]).get(account_id, account_id)
    found = {"role": role, "email": None}
    return page(request, "join.html", found=found, problem=None, inviter=name, role_words=ROLE_DESCRIPTIONS)


def _directory(services: Services, request: Request, visitor: Visitor) -> dict[str, Any]:
    """Return what the card of the directory shows."""
    found = services.directories.of(visitor.account_id)
    return {
        "is_connected": found.directory.digest is not None,
        "connected": iso(found.directory.connected_at_ms),
        "role": found.directory.role,
        "roles": list(ROLES),
        "users": len(found.directory.users),
        "waiting": found.directory.waiting(found.team),
        "base": f"{base_url(request)}/scim/v2",
        "link": _link_of(request)(visitor.account_id),
    }


@router.post("/join/own")
def join_own(services: Services, request: Request, visitor: SignedIn, sent: Sent) -> Response:
    """Make the visitor a member of an account that has invited their address, and switch to it."""
    account, invitation = sent.get("account", ""), sent.get("invitation", "")
    account_id = services.members.accept_own(account, invitation, visitor.actor)
    _go_on_in(services, request, visitor, account_id, "by an invitation")
    return moved(home(request))


def _mail_row(me: Member, topic: Topic) -> dict[str, Any]:
    """Return a line of the table of one's notifications."""
    return {
        "topic": topic,
        "words": TOPIC_WORDS[topic],
        "is_on": me.wants(topic),
        "is_forced": is_forced(topic, me.role),
    }


def _to_another_account(services: Services, request: Request, visitor: Visitor) -> Response:
    left = services.members.identity(visitor.identity_id).accounts
    if left:
        _go_on_in(services, request, visitor, left[0], FROM_ANOTHER)
        return moved(home(request))
    # The next sign-in opens a fresh account.
    services.sessions.end(request.session["id"])
    request.session.clear()
    return moved(f"{home(request)}/sign-in")


def _go_on_in(services: Services, request: Request, visitor: Visitor, account_id: str, how: str) -> None:
    """End the session, and begin another for the same person in another account."""
    before = request.session["id"]
    sign_in(request, services.sign_ins, account_id, visitor.actor, how, before=before)
    services.sessions.end(before)


def _link_of(request: Request) -> service.LinkOf:
    return lambda token: f"{base_url(request)}/dashboard/join?invitation={token}"


def _changed(
    services: Services, request: Request, visitor: Visitor, made: service.Sent | None = None
) -> Response:
    return part(request, "members_list.html", **_shown(services, request, visitor, made))


def _shown(
    services: Services, request: Request, visitor: Visitor, made: service.Sent | None = None
) -> dict[str, Any]:
    team = services.members.team(visitor.account_id)
    people = [one.identity_id for one in team.members]
    names, shown = services.members.names(people), services.members.people.names(people)
    keys, now_ms = services.api.keys.by_maker(visitor.account_id), services.clock.now_ms()
    rows = [
        {
            "id": one.identity_id,
            "name": names.get(one.identity_id, one.identity_id),
            "shown": shown.get(one.identity_id, ""),
            "role": one.role,
            "joined": iso(one.joined_at_ms),
            "keys": len(keys.get(one.identity_id, ())),
            # What ends with their role.
            "managing": [key.name for key in keys.get(one.identity_id, ()) if Scope.ACCOUNT in key.scopes],
            "invited": [
                each.email for each in team.open_invitations(now_ms) if each.invited_by == one.identity_id
            ],
            "is_you": one.identity_id == visitor.identity_id,
        }
        for one in team.members
    ]
    me = team.find(visitor.identity_id)
    return {
        "rows": rows,
        "me": me,
        "mails": [] if me is None else [_mail_row(me, topic) for topic in Topic],
        "invitations": team.open_invitations(now_ms),
        "roles": list(Role),
        "role_words": ROLE_DESCRIPTIONS,
        "made": made,
        "link": None if made is None else _link_of(request)(made.token),
    }
